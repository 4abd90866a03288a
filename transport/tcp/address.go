package tcp

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/ringo-ccl/ringo/transport/stream"
)

// An endpoint is what one rank tells the others about its listening port:
// "hostid|addr:port,addr:port". Addresses of the loopback interface are of use
// to ranks with the same host id only, and are given to no other.
type endpoint struct {
	host  string   // identity of the machine and network namespace
	addrs []string // "ip:port" or "name:port", best first
}

func (e endpoint) String() string { return e.host + "|" + strings.Join(e.addrs, ",") }

func parseEndpoint(s string) (endpoint, error) {
	host, list, ok := strings.Cut(s, "|")
	if !ok || len(s) > 4096 {
		return endpoint{}, fmt.Errorf("address %.64q is not of the form host|addr:port,…", s)
	}
	e := endpoint{host: host, addrs: strings.Split(list, ",")}
	for _, a := range e.addrs {
		h, port, err := net.SplitHostPort(a)
		if err != nil {
			return endpoint{}, fmt.Errorf("address %.64q: %w", a, err)
		}
		if p, err := strconv.ParseUint(port, 10, 16); err != nil || p == 0 || h == "" {
			return endpoint{}, fmt.Errorf("address %.64q needs a host and a port from 1 to 65535", a)
		}
	}
	return e, nil
}

// dialable lists the addresses that a rank on host may try, best first:
// loopback within a host, never beyond it.
func (e endpoint) dialable(host string) []string {
	var local, remote []string
	for _, a := range e.addrs {
		if isLoopback(a) {
			local = append(local, a)
		} else {
			remote = append(remote, a)
		}
	}
	if e.host != host {
		return remote
	}
	return append(local, remote...)
}

func isLoopback(hostport string) bool {
	h, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return false
	}
	if h == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(h)
	return err == nil && ip.IsLoopback()
}

// advertised derives the endpoint from what was configured and the port that is
// listened on.
func advertised(cfg Config, port int) (endpoint, error) {
	e := endpoint{host: stream.HostID()}
	p := strconv.Itoa(port)
	switch {
	case cfg.Advertise != "":
		a := cfg.Advertise
		if _, _, err := net.SplitHostPort(a); err != nil {
			a = net.JoinHostPort(strings.Trim(a, "[]"), p)
		}
		e.addrs = []string{a}
	case cfg.Listen != "" && !net.ParseIP(cfg.Listen).IsUnspecified():
		e.addrs = []string{net.JoinHostPort(cfg.Listen, p)}
	default:
		e.addrs = interfaceAddrs(p)
	}
	_, err := parseEndpoint(e.String())
	return e, err
}

// interfaceAddrs lists this machine's addresses: loopback, then global IPv4,
// then global IPv6. Link-local ones need a zone that means nothing elsewhere.
func interfaceAddrs(port string) []string {
	local := []string{net.JoinHostPort("127.0.0.1", port)}
	var v4, v6 []string
	ifs, _ := net.InterfaceAddrs()
	for _, a := range ifs {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.IsLoopback() || !n.IP.IsGlobalUnicast() {
			continue
		}
		if hp := net.JoinHostPort(n.IP.String(), port); n.IP.To4() != nil {
			v4 = append(v4, hp)
		} else {
			v6 = append(v6, hp)
		}
	}
	return append(append(local, v4...), v6...)
}
