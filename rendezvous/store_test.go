package rendezvous_test

import (
	"log/slog"
	"net"
	"testing"

	"github.com/ringo-ccl/ringo/rendezvous"
	"github.com/ringo-ccl/ringo/rendezvous/rendezvoustest"
)

func TestMemory(t *testing.T) {
	rendezvoustest.Run(t, func(t *testing.T) func() rendezvous.Store {
		m := rendezvous.NewMemory()
		t.Cleanup(func() { m.Close() })
		return func() rendezvous.Store { return m.Client() }
	})
}

func TestFile(t *testing.T) {
	rendezvoustest.Run(t, fileStore(func(f *rendezvous.File) *rendezvous.File { return f }))
}

func TestFileWithoutLinks(t *testing.T) {
	rendezvoustest.Run(t, fileStore(rendezvous.WithoutLinks))
}

func fileStore(with func(*rendezvous.File) *rendezvous.File) rendezvoustest.Open {
	return func(t *testing.T) func() rendezvous.Store {
		dir := t.TempDir()
		return func() rendezvous.Store {
			f, err := rendezvous.OpenFile(dir)
			if err != nil {
				t.Fatal(err)
			}
			return with(f)
		}
	}
}

func TestTCP(t *testing.T) {
	for name, addr := range map[string]string{"IPv4": "127.0.0.1:0", "IPv6": "[::1]:0"} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", addr)
			if err != nil {
				t.Skipf("this machine has no %s: %v", name, err)
			}
			l.Close()
			rendezvoustest.Run(t, tcpStore(addr))
		})
	}
}

func tcpStore(addr string) rendezvoustest.Open {
	return func(t *testing.T) func() rendezvous.Store {
		token := []byte("token")
		config := rendezvous.ServerConfig{Token: token, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
		server, err := rendezvous.Serve(t.Context(), addr, config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		return func() rendezvous.Store {
			s, err := rendezvous.Dial(t.Context(), server.Addr(), token)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
}
