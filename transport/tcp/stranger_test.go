package tcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ringo-ccl/ringo/internal/auth"
	"github.com/ringo-ccl/ringo/internal/leak"
	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/transport"
)

// lines collects log lines and lets a test wait for one.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{}
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(b)
	select {
	case l.news <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (l *lines) waitFor(t *testing.T, word string) {
	t.Helper()
	for {
		l.mu.Lock()
		have := l.text.String()
		l.mu.Unlock()
		if strings.Contains(have, word) {
			return
		}
		select {
		case <-l.news:
		case <-t.Context().Done():
			t.Fatalf("no log line with %q in %q", word, have)
		}
	}
}

// listening opens rank 1 of 2 in job 7 and returns where it listens.
func listening(t *testing.T) (transport.Listener, string, *lines) {
	t.Helper()
	log := &lines{news: make(chan struct{}, 1)}
	tr, err := New(Config{Listen: "127.0.0.1"}).Open(t.Context(), transport.Identity{Job: 7, Token: []byte("token"), Rank: 1, Ranks: 2, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	l, err := tr.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	e, err := parseEndpoint(l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return l, e.addrs[0], log
}

// TestStrangersAreRefused: whatever comes, one log line says why it was refused,
// and a rank of the job still gets in afterwards.
func TestStrangersAreRefused(t *testing.T) {
	hello := func(h wire.Hello) []byte {
		var b [wire.HelloSize]byte
		h.Put(b[:])
		return b[:]
	}
	right := wire.Hello{Job: 7, Ranks: 2, From: 0, To: 1}
	for _, c := range []struct {
		name, token, log string
		say              []byte
	}{
		{"another job", "token", "another job", hello(wire.Hello{Job: 8, Ranks: 2, From: 0, To: 1})},
		{"another world size", "token", "another rank listens", hello(wire.Hello{Job: 7, Ranks: 3, From: 0, To: 1})},
		{"older version", "token", "protocol version", append(hello(right)[:4:4], append([]byte{0, 0, 0, 0}, hello(right)[8:]...)...)},
		{"junk after the token", "token", "magic", bytes.Repeat([]byte("x"), wire.HelloSize)},
		{"wrong token", "other", "token", nil},
		{"port scanner", "", "reason", []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			leak.Check(t)
			l, addr, log := listening(t)
			nc, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			if c.token != "" {
				if err := auth.Client(nc, authPurpose, []byte(c.token)); (err != nil) != (c.token != "token") {
					t.Fatalf("proof of the token: %v", err)
				}
			}
			nc.Write(c.say)
			io.Copy(io.Discard, nc) // until it hangs up
			log.waitFor(t, "connection refused")
			log.waitFor(t, c.log)
			joins(t, l)
		})
	}
}

// joins connects rank 0 of the job to l.
func joins(t *testing.T, l transport.Listener) {
	t.Helper()
	tr, err := New(Config{}).Open(t.Context(), transport.Identity{Job: 7, Token: []byte("token"), Rank: 0, Ranks: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	dialed := make(chan error, 1)
	go func() {
		_, err := tr.Dial(t.Context(), l.Addr(), transport.Peer{Rank: 1})
		dialed <- err
	}()
	if _, err := l.Accept(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-dialed; err != nil {
		t.Fatal(err)
	}
}

func TestWrongTokenIsNamedToTheDialer(t *testing.T) {
	leak.Check(t)
	l, _, _ := listening(t)
	tr, err := New(Config{}).Open(t.Context(), transport.Identity{Job: 7, Token: []byte("other"), Rank: 0, Ranks: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if _, err := tr.Dial(t.Context(), l.Addr(), transport.Peer{Rank: 1}); !errors.Is(err, auth.ErrToken) {
		t.Fatalf("got %v", err)
	}
}

func TestPortRangeTaken(t *testing.T) {
	leak.Check(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	tr, err := New(Config{Listen: "127.0.0.1", Ports: PortRange{port, port}}).Open(t.Context(), transport.Identity{Ranks: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	_, err = tr.Listen(t.Context())
	if err == nil || !strings.Contains(err.Error(), strconv.Itoa(port)) || !strings.Contains(err.Error(), "widen the port range") {
		t.Fatalf("got %v", err)
	}
}

func TestOtherHostsLoopbackIsNotDialed(t *testing.T) {
	leak.Check(t)
	tr, err := New(Config{}).Open(t.Context(), transport.Identity{Ranks: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	_, err = tr.Dial(context.Background(), endpoint{host: "elsewhere", addrs: []string{"127.0.0.1:1"}}.String(), transport.Peer{Rank: 1})
	if err == nil || !strings.Contains(err.Error(), "loopback only") {
		t.Fatalf("got %v", err)
	}
}
