package tcp

import (
	"slices"
	"strings"
	"testing"
)

func TestEndpointKeepsLoopbackAtHome(t *testing.T) {
	e := endpoint{host: "a", addrs: []string{"127.0.0.1:1", "10.0.0.5:1", "[::1]:1", "localhost:1", "[fd00::5]:1"}}
	if got, want := e.dialable("a"), []string{"127.0.0.1:1", "[::1]:1", "localhost:1", "10.0.0.5:1", "[fd00::5]:1"}; !slices.Equal(got, want) {
		t.Errorf("same host: %q, want %q", got, want)
	}
	if got, want := e.dialable("b"), []string{"10.0.0.5:1", "[fd00::5]:1"}; !slices.Equal(got, want) {
		t.Errorf("other host: %q, want %q", got, want)
	}
}

func TestAdvertised(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  Config
		want string // the addresses
	}{
		{"listen address", Config{Listen: "10.1.2.3"}, "10.1.2.3:4711"},
		{"IPv6", Config{Listen: "fd00::1"}, "[fd00::1]:4711"},
		{"advertise a name", Config{Listen: "10.1.2.3", Advertise: "node-3.example"}, "node-3.example:4711"},
		{"advertise with a port", Config{Advertise: "gate.example:9000"}, "gate.example:9000"},
		{"advertise IPv6", Config{Advertise: "fd00::9"}, "[fd00::9]:4711"},
	} {
		e, err := advertised(c.cfg, 4711)
		if got := strings.Join(e.addrs, ","); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	e, err := advertised(Config{}, 4711)
	if err != nil || e.addrs[0] != "127.0.0.1:4711" {
		t.Errorf("all interfaces: %v, %v; loopback comes first", e, err)
	}
}

func TestParsePortRange(t *testing.T) {
	for s, want := range map[string]PortRange{"5000-5010": {5000, 5010}, "80": {80, 80}} {
		if got, err := ParsePortRange(s); err != nil || got != want {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "0", "9-3", "1-65536", "a-b", "1-2-3", "-5"} {
		if got, err := ParsePortRange(s); err == nil {
			t.Errorf("%q: %v", s, got)
		}
	}
}

func FuzzParseEndpoint(f *testing.F) {
	f.Add("host|127.0.0.1:80,[::1]:80")
	f.Fuzz(func(t *testing.T, s string) {
		e, err := parseEndpoint(s)
		if err != nil {
			return
		}
		if e.String() != s {
			t.Fatalf("%q parses as %q", s, e)
		}
		for _, a := range e.dialable(e.host + "x") {
			if isLoopback(a) {
				t.Fatalf("%q offers loopback %q to another host", s, a)
			}
		}
	})
}
