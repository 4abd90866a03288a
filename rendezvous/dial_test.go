package rendezvous

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/internal/auth"
)

// freeAddr is an address where nobody listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestDialGivesUpWithContext(t *testing.T) {
	addr := freeAddr(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := Dial(ctx, addr, nil)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	for _, word := range []string{addr, "connection refused", "tried", "ms"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q lacks %q", err, word)
		}
	}
}

func TestDialBeforeServe(t *testing.T) {
	addr := freeAddr(t)
	dialled := make(chan error, 1)
	go func() {
		s, err := Dial(t.Context(), addr, nil)
		if err == nil {
			err = s.Close()
		}
		dialled <- err
	}()
	s, err := Serve(t.Context(), addr, ServerConfig{})
	if err != nil {
		t.Skipf("somebody took %s meanwhile: %v", addr, err)
	}
	defer s.Close()
	if err := <-dialled; err != nil {
		t.Error(err)
	}
}

func TestDialNoStore(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			io.ReadFull(conn, make([]byte, 40)) // part of the hello
			conn.Write([]byte("SSH-2.0-OpenSSH_9.6\r\n"))
			conn.Close()
		}
	}()
	if _, err := Dial(t.Context(), l.Addr().String(), nil); !errors.Is(err, auth.ErrStranger) {
		t.Errorf("got %v", err)
	}
}

// What a server of another handshake answers is final: Dial does not try again.
func TestDialOtherHandshake(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if conn, err := l.Accept(); err == nil { // once: a second try would wait
			defer conn.Close()
			io.ReadFull(conn, make([]byte, 40))
			conn.Write([]byte("RNGO\x09" + strings.Repeat("x", 48)))
		}
	}()
	var version *auth.VersionError
	if _, err := Dial(t.Context(), l.Addr().String(), nil); !errors.As(err, &version) {
		t.Errorf("got %v", err)
	}
}

func TestDialNoAddress(t *testing.T) {
	for _, addr := range []string{"", "host", "host:port:port", "host:no-such-port"} {
		if _, err := Dial(t.Context(), addr, nil); err == nil || !strings.Contains(err.Error(), addr) {
			t.Errorf("%q: %v", addr, err)
		}
	}
}

// A server that takes connections and says nothing must not hold Dial.
func TestDialHonoursContextInHandshake(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	defer close(over)
	go func() {
		if conn, err := l.Accept(); err == nil {
			defer conn.Close()
			conn.Read(make([]byte, 1)) // the handshake has begun
			cancel()
			<-over
		}
	}()
	if _, err := Dial(ctx, l.Addr().String(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
