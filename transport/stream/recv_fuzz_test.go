//go:build linux

package stream

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ringo-ccl/ringo/internal/wire"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// FuzzReceiver feeds a connection any bytes in any pieces. Whatever comes, each
// receive completes at most once, nothing outside its range is touched, and what
// is delivered without an error is a payload of the stream, in order.
func FuzzReceiver(f *testing.F) {
	frame := func(n int) []byte {
		b := make([]byte, wire.FrameSize+n)
		wire.Frame{Kind: wire.Data, Job: 7, Seq: 1, Len: n}.Put(b)
		for i := range n {
			b[wire.FrameSize+i] = byte(i + 1)
		}
		return b
	}
	f.Add(append(frame(10), frame(100)...), uint16(32), uint16(10))
	f.Add(append(frame(3), frame(0)...), uint16(7), uint16(64))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n                         "), uint16(5), uint16(64))
	f.Fuzz(func(t *testing.T, stream []byte, piece, length uint16) {
		if len(stream) > 60000 {
			return
		}
		tr, c, far := socketPair(t)
		defer unix.Close(far)
		defer tr.Close()
		const slots = 4
		n := int(length)
		buf := bytes.Repeat([]byte{0xee}, slots*(n+1))
		region, err := tr.Register(mem.Bytes(buf))
		if err != nil {
			t.Fatal(err)
		}
		for i := range slots {
			if err := c.PostRecv(transport.Request{Region: region, Off: i * (n + 1), Len: n, ID: uint64(i)}); err != nil {
				t.Fatal(err)
			}
		}
		var done [slots + 1]transport.Completion
		got := 0
		for rest := stream; ; {
			k, err := tr.Poll(done[got:])
			if err != nil {
				t.Fatal(err)
			}
			got += k
			if len(rest) == 0 {
				break
			}
			k, err = unix.Write(far, rest[:min(len(rest), int(piece)+1)])
			if err != nil {
				break // the connection refused the rest
			}
			rest = rest[k:]
		}
		if got > slots {
			t.Fatalf("%d completions of %d receives", got, slots)
		}
		for i, d := range done[:got] {
			if d.ID != uint64(i) {
				t.Fatalf("completion %d is of receive %d", i, d.ID)
			}
			if d.Err != nil {
				break
			}
			payload := buf[i*(n+1):][:d.N]
			at := bytes.Index(stream, payload)
			if at < 0 {
				t.Fatalf("receive %d got %x, which was never sent", i, payload)
			}
			stream = stream[at+len(payload):]
		}
		for i := range slots {
			if buf[i*(n+1)+n] != 0xee {
				t.Fatalf("receive %d wrote past its end", i)
			}
		}
	})
}

// socketPair is a connection whose far end is a raw descriptor.
func socketPair(t *testing.T) (*Transport, *conn, int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Open(Config{Name: "test"}, transport.Identity{Job: 7, Ranks: 2})
	if err != nil {
		t.Fatal(err)
	}
	c := &conn{t: tr, fd: fds[0], peer: transport.Peer{Rank: 1}}
	tr.add(c)
	return tr, c, fds[1]
}
