package rendezvous

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/internal/auth"
)

// logLines is a log whose lines a test can wait for.
type logLines chan string

func (l logLines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// next waits for a line and expects words in it.
func (l logLines) next(t *testing.T, words ...string) {
	t.Helper()
	select {
	case line := <-l:
		for _, word := range words {
			if !strings.Contains(line, word) {
				t.Errorf("log line %q lacks %q", line, word)
			}
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("no log line with %q", words)
	}
}

// serveTest serves a store whose log the test reads.
func serveTest(t *testing.T, config ServerConfig) (*Server, logLines) {
	t.Helper()
	lines := make(logLines, 1000)
	config.Log = slog.New(slog.NewTextHandler(lines, nil))
	s, err := Serve(t.Context(), "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, lines
}

func dialTest(t *testing.T, addr, token string) *client {
	t.Helper()
	s, err := Dial(t.Context(), addr, []byte(token))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.(*client)
}

// raw connects to s without any protocol.
func raw(t *testing.T, s *Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestStrangersAreRefused(t *testing.T) {
	s, lines := serveTest(t, ServerConfig{Token: []byte("t")})
	for name, text := range map[string]string{
		"http":   "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"tls":    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"random": "\x8f\x1e\xd0\x42\x99\x00\x17",
	} {
		conn := raw(t, s)
		conn.Write([]byte(text))
		if answer, _ := io.ReadAll(conn); len(answer) > 0 {
			t.Errorf("%s: the server answered %q", name, answer)
		}
		lines.next(t, "refused", conn.LocalAddr().String(), "does not speak this protocol")
	}
	dialTest(t, s.Addr(), "t")
}

func TestSilenceIsRefused(t *testing.T) {
	s, lines := serveTest(t, ServerConfig{HandshakeTimeout: 10 * time.Millisecond})
	conn := raw(t, s)
	if answer, _ := io.ReadAll(conn); len(answer) > 0 {
		t.Errorf("the server answered %q", answer)
	}
	lines.next(t, "refused", conn.LocalAddr().String(), "timeout")
}

func TestWrongToken(t *testing.T) {
	s, lines := serveTest(t, ServerConfig{Token: []byte("right")})
	for _, token := range []string{"wrong", ""} {
		if _, err := Dial(t.Context(), s.Addr(), []byte(token)); !errors.Is(err, auth.ErrToken) || !strings.Contains(err.Error(), s.Addr()) {
			t.Errorf("token %q: %v", token, err)
		}
		lines.next(t, "refused", "different job token")
	}
}

func TestOtherVersion(t *testing.T) {
	s, lines := serveTest(t, ServerConfig{})
	err := auth.Client(raw(t, s), "ringo store v0", nil)
	if err == nil || !strings.Contains(err.Error(), "v0") || !strings.Contains(err.Error(), purpose) {
		t.Errorf("the client says %v", err)
	}
	lines.next(t, "refused", "v0", purpose)
}

func TestConnectionFlood(t *testing.T) {
	s, lines := serveTest(t, ServerConfig{Handshakes: 2, HandshakeTimeout: time.Minute})
	held := []net.Conn{raw(t, s), raw(t, s)} // accepted in this order
	for range 20 {
		conn := raw(t, s)
		io.Copy(io.Discard, conn) // hung up
		lines.next(t, "refused", "in the handshake already")
	}
	for _, conn := range held {
		conn.Close()
		lines.next(t, "refused", conn.LocalAddr().String())
	}
	dialTest(t, s.Addr(), "")
}

func TestBadFramesDropTheClient(t *testing.T) {
	for name, text := range map[string]string{
		"oversized":  "\x00\x00\x00\x01\x01\x00\x00\x01\xff\xff\xff\xff",
		"unknown op": "\x00\x00\x00\x01\x63\x00\x00\x00\x00\x00\x00\x00",
		"empty key":  "\x00\x00\x00\x01\x02\x00\x00\x00\x00\x00\x00\x00",
		"an answer":  "\x00\x00\x00\x01\x07\x00\x00\x00\x00\x00\x00\x00",
	} {
		s, lines := serveTest(t, ServerConfig{})
		c := dialTest(t, s.Addr(), "")
		c.conn.Write([]byte(text))
		_, err := c.Get(t.Context(), "never")
		if !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "dropped this client") {
			t.Errorf("%s: the client says %v", name, err)
		}
		lines.next(t, "lost a client", "malformed frame")
	}
}

func TestTooManyGetsDropTheClient(t *testing.T) {
	s, lines := serveTest(t, ServerConfig{})
	c := dialTest(t, s.Addr(), "")
	for id := range uint32(maxGets + 1) {
		c.conn.Write(appendFrame(nil, frame{id: 1000 + id, op: opGet, key: "never"}))
	}
	<-c.done
	if !errors.Is(c.err, ErrLost) {
		t.Errorf("the client says %v", c.err)
	}
	lines.next(t, "lost a client", "at most 64")
}

func TestEndedGetsLeaveNothing(t *testing.T) {
	s, _ := serveTest(t, ServerConfig{})
	c := dialTest(t, s.Addr(), "")
	for range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan error, 1)
		go func() {
			_, err := c.Get(ctx, "never")
			got <- err
		}()
		c.Put(t.Context(), "early", nil)
		cancel()
		<-got
	}
	for range maxGets {
		c.gets <- struct{}{} // free once the server has been told
	}
	c.Put(t.Context(), "early", nil) // and this comes after
	awaited := func() bool {
		s.table.mu.Lock()
		defer s.table.mu.Unlock()
		return s.table.entries["never"] != nil
	}
	for deadline := time.Now().Add(10 * time.Second); awaited(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("the server still waits for a key that nobody wants")
		}
	}
}

func TestStoreHasALimit(t *testing.T) {
	s, _ := serveTest(t, ServerConfig{})
	s.table.size = MaxStored - 10
	c := dialTest(t, s.Addr(), "")
	if _, err := c.Put(t.Context(), "key", make([]byte, 8)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Put(t.Context(), "key", make([]byte, 7)); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestPortTaken(t *testing.T) {
	s, _ := serveTest(t, ServerConfig{})
	_, err := Serve(t.Context(), s.Addr(), ServerConfig{})
	if err == nil || !strings.Contains(err.Error(), s.Addr()) || !strings.Contains(err.Error(), "RINGO_STORE") {
		t.Errorf("got %v", err)
	}
}

func TestServerClosesGracefully(t *testing.T) {
	s, _ := serveTest(t, ServerConfig{})
	waits, idle := dialTest(t, s.Addr(), ""), dialTest(t, s.Addr(), "")
	if err := idle.Will(t.Context(), "will", nil); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		_, err := waits.Get(context.Background(), "never")
		got <- err
	}()
	waits.Put(t.Context(), "early", nil)
	raw(t, s) // one in the handshake must not keep the server
	start := time.Now()
	s.Close()
	s.Close()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("Close took %v", took)
	}
	if err := <-got; !errors.Is(err, ErrClosed) || errors.Is(err, ErrLost) {
		t.Errorf("the Get that waited says %v", err)
	}
	if _, err := idle.Put(t.Context(), "key", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Put says %v", err)
	}
	if s.table.entries["will"] != nil {
		t.Error("a will was executed though nobody died")
	}
}
