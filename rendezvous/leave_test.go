package rendezvous

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A server that closes owes every Get that waits the key that is there.
func TestCloseAnswersGetsWhoseKeyIsThere(t *testing.T) {
	const clients, gets = 4, 4
	for range 50 {
		s, _ := serveTest(t, ServerConfig{})
		var all sync.WaitGroup
		for range clients {
			c := dialTest(t, s.Addr(), "")
			for range gets {
				all.Go(func() {
					if value, err := c.Get(t.Context(), "key"); err != nil || string(value) != "value" {
						t.Errorf("got %q, %v", value, err)
					}
				})
			}
		}
		waiting := func() bool {
			s.table.mu.Lock()
			defer s.table.mu.Unlock()
			e := s.table.entries["key"]
			return e != nil && e.waiting == clients*gets
		}
		for deadline := time.Now().Add(10 * time.Second); !waiting(); runtime.Gosched() {
			if time.Now().After(deadline) {
				t.Fatal("the Gets do not arrive at the server")
			}
		}
		if _, err := s.table.put("key", []byte("value")); err != nil {
			t.Fatal(err)
		}
		s.Close()
		all.Wait()
	}
}

// An answer that came before the goodbye counts, whichever a call sees first.
func TestAnswerBeforeGoodbyeCounts(t *testing.T) {
	for range 100 {
		here, there := net.Pipe()
		c := newClient(here, "pipe")
		go func() {
			f, _ := readFrame(there)
			there.Write(appendFrame(nil, frame{id: f.id, op: opOK, value: []byte("value")}))
			there.Write(appendFrame(nil, frame{op: opClosed}))
			there.Close()
		}()
		if value, err := c.Get(t.Context(), "key"); err != nil || string(value) != "value" {
			t.Fatalf("got %q, %v", value, err)
		}
		c.Close()
	}
}

// halfPipe is a pipe of which one direction seems to end alone, as with TCP.
type halfPipe struct{ net.Conn }

func (halfPipe) CloseWrite() error { return nil }

func TestClientCloseTakesASecondAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe() // to a server that reads late and never hangs up
		defer there.Close()
		time.AfterFunc(goodbyeTime*9/10, func() { io.Copy(io.Discard, there) })
		c := newClient(halfPipe{here}, "pipe")
		put := make(chan error, 1)
		go func() {
			_, err := c.Put(context.Background(), "key", nil)
			put <- err
		}()
		synctest.Wait()
		start := time.Now()
		c.Close()
		if took := time.Since(start); took > goodbyeTime {
			t.Errorf("Close took %v", took)
		}
		if err := <-put; !errors.Is(err, ErrClosed) {
			t.Errorf("Put says %v", err)
		}
	})
}

func TestTooManyClientsAreRefused(t *testing.T) {
	s, lines := serveTest(t, ServerConfig{Clients: 1})
	first := dialTest(t, s.Addr(), "")
	if _, err := first.Put(t.Context(), "key", nil); err != nil {
		t.Fatal(err)
	}
	second := dialTest(t, s.Addr(), "")
	<-second.done
	if !errors.Is(second.err, ErrLost) || !strings.Contains(second.err.Error(), "1 clients are connected already") {
		t.Errorf("the client says %v", second.err)
	}
	lines.next(t, "refused", "1 clients are connected already")
	first.Close()
	admitted := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.clients > 0
	}
	for deadline := time.Now().Add(10 * time.Second); admitted(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("a client that left keeps its place")
		}
	}
	if _, err := dialTest(t, s.Addr(), "").Put(t.Context(), "key", nil); err != nil {
		t.Errorf("the next client says %v", err)
	}
}

// What a header announces must follow, or the client is lost.
func TestSilenceAfterAHeaderLosesTheClient(t *testing.T) {
	s, lines := serveTest(t, ServerConfig{bodyTimeout: 10 * time.Millisecond})
	c := dialTest(t, s.Addr(), "")
	whole := appendFrame(nil, frame{op: opPut, key: "key", value: make([]byte, 100)})
	c.conn.Write(whole[:headerSize+1])
	<-c.done
	lines.next(t, "lost a client", "cut short", "timeout")
}

// asked reads text and remembers how much it was asked for at most.
type asked struct {
	text []byte
	most int
}

func (a *asked) Read(p []byte) (int, error) {
	a.most = max(a.most, len(p))
	n := copy(p, a.text)
	a.text = a.text[n:]
	if n == 0 {
		return 0, errors.New("no more")
	}
	return n, nil
}

func TestFrameTakesMemoryAsItComes(t *testing.T) {
	whole := appendFrame(nil, frame{op: opPut, key: "key", value: make([]byte, MaxValue)})
	for _, come := range []int{headerSize, headerSize + 5000, headerSize + 100000} {
		r := &asked{text: slices.Clone(whole[:come])}
		if _, err := readFrame(r); err == nil {
			t.Errorf("%d bytes are a frame", come)
		}
		if limit := max(firstRead, 2*come); r.most > limit {
			t.Errorf("after %d bytes it took room for %d, want at most %d", come, r.most, limit)
		}
	}
}
