package rendezvous

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
)

// address is where a store is: one of its fields is set.
type address struct {
	hostPort string
	dir      string
}

// parseAddress reads "tcp://host:port" or "file:///dir".
func parseAddress(text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return address{}, fmt.Errorf("no address of a store: %w", errors.Unwrap(err))
	}
	switch u.Scheme {
	case "tcp":
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || port == 0 || u.Hostname() == "" || u.Path != "" || u.RawQuery != "" || u.User != nil {
			return address{}, errors.New("want tcp://HOST:PORT, with a port from 1 to 65535")
		}
		return address{hostPort: net.JoinHostPort(u.Hostname(), u.Port())}, nil
	case "file":
		if u.Host != "" || !filepath.IsAbs(u.Path) || u.RawQuery != "" {
			return address{}, errors.New("want file:///DIR, with three slashes")
		}
		return address{dir: filepath.Clean(u.Path)}, nil
	}
	return address{}, errors.New("want tcp://HOST:PORT or file:///DIR")
}

// tcpAddress and fileAddress write what parseAddress reads.
func tcpAddress(host string, port int) string {
	return (&url.URL{Scheme: "tcp", Host: net.JoinHostPort(host, strconv.Itoa(port))}).String()
}

func fileAddress(dir string) string {
	return (&url.URL{Scheme: "file", Path: dir}).String()
}
