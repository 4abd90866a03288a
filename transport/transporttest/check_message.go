package transporttest

import (
	"bytes"
	"testing"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// largest bounds the memory that MaxMessage takes, and small what it takes of
// memory that is scarce, and with -short.
const (
	largest = 64 << 20
	small   = 1 << 20
)

func checkOrder(r *rig) {
	a, b := r.pair()
	const size = 100
	n := min(16, a.tr.Caps().QueueDepth)
	for _, dir := range [][2]*line{{a, b}, {b, a}} {
		from, to := dir[0], dir[1]
		src, dst := from.filled(n*size, 1), to.region(n*size)
		var all []*ticket
		for i := range n {
			all = append(all, to.recv(dst, i*size, size))
			all = append(all, from.send(src, i*size, size-i, uint32(i), 0))
		}
		r.await(all...)
		for i := range n {
			to.wants(all[2*i], size-i)
			from.wants(all[2*i+1], size-i)
			equal(r, "Seq of a message in turn", all[2*i].got.Seq, uint32(i))
			dst.wants("a message in turn", i*size, src.b[i*size:i*size+size-i])
		}
	}
}

func checkTagEcho(r *rig) {
	a, b := r.pair()
	src, dst := a.filled(8, 1), b.region(8)
	for _, v := range [][2]uint32{{0, 0}, {1, 2}, {1<<32 - 1, 1 << 31}} {
		s := a.send(src, 0, 8, v[0], v[1])
		q := request(dst, 0, 8, 12345, 54321) // must not matter
		t := b.must(b.tryRecv(q))
		r.await(s, t)
		for _, done := range []*ticket{s, t} {
			equal(r, done.op+"'s Seq", done.got.Seq, v[0])
			equal(r, done.op+"'s Tag", done.got.Tag, v[1])
		}
	}
}

func checkZeroLength(r *rig) {
	a, b := r.pair()
	src, dst := a.filled(8, 1), b.region(24)
	all := []*ticket{
		b.recv(nil, 0, 0), a.send(nil, 0, 0, 1, 10),
		b.recv(dst, 0, 8), a.send(src, 0, 8, 2, 20),
		b.recv(dst, 8, 8), a.send(nil, 0, 0, 3, 30),
		b.recv(dst, 16, 0), a.send(src, 8, 0, 4, 40),
	}
	r.await(all...)
	for i, n := range []int{0, 8, 0, 0} {
		recv, send := all[2*i], all[2*i+1]
		b.wants(recv, n)
		a.wants(send, n)
		equal(r, "Seq", recv.got.Seq, uint32(i+1))
		equal(r, "Tag", recv.got.Tag, uint32(10*(i+1)))
	}
	dst.wants("the message between empty ones", 0, src.b)
	dst.wants("memory of an empty receive", 16, make([]byte, 8))
}

func checkMaxMessage(r *rig) {
	a, b := r.pair()
	limit := a.tr.Caps().MaxMessage
	n := min(limit, largest)
	if testing.Short() || r.kind != mem.Host {
		n = min(n, small)
	}
	extra := 0
	if n == limit {
		extra = 1 // room to ask for too much
	}
	src, dst := a.filled(n+extra, 1), b.region(n+extra)
	if extra > 0 {
		_, err := a.trySend(request(src, 0, n+1, 0, 0))
		r.wants(err, transport.ErrInvalid)
		_, err = b.tryRecv(request(dst, 0, n+1, 0, 0))
		r.wants(err, transport.ErrInvalid)
	}
	s, t := a.send(src, 0, n, 0, 0), b.recv(dst, 0, n)
	r.await(s, t)
	a.wants(s, n)
	b.wants(t, n)
	dst.wants("a message of the largest size", 0, src.b[:n])
}

func checkSubRange(r *rig) {
	a, b := r.pair()
	const size = 9000
	src := a.filled(size, 1)
	for i, v := range []struct{ from, to, n int }{
		{0, 0, 1}, {1, 2, 1}, {7, 4097, 4096}, {size - 1, 0, 1}, {3, size - 5, 5}, {0, 0, size},
	} {
		dst := b.filled(size, uint64(i+2))
		want := bytes.Clone(dst.b)
		copy(want[v.to:], src.b[v.from:v.from+v.n])
		s, t := a.send(src, v.from, v.n, 0, 0), b.recv(dst, v.to, v.n)
		r.await(s, t)
		a.wants(s, v.n)
		b.wants(t, v.n)
		dst.wants("a region around a message", 0, want)
	}
	src.wants("the sender's region", 0, pattern(size, 1))
}

func checkShorterSend(r *rig) {
	a, b := r.pair()
	const size, room = 8192, 5000
	for _, n := range []int{0, 1, 4095, room - 1} {
		src, dst := a.filled(n+1, 1), b.filled(size, 2)
		s, t := a.send(src, 0, n, 0, 0), b.recv(dst, 0, room)
		r.await(s, t)
		a.wants(s, n)
		b.wants(t, n)
		dst.wants("a message shorter than its receive", 0, src.b[:n])
		dst.wants("memory past the receive", room, pattern(size, 2)[room:])
	}
	a.exchange(b)
}

// ends are the causes that a request may fail with when its connection ends for
// a reason that is not its own.
var ends = []error{
	transport.ErrTruncated, transport.ErrPeerLost, transport.ErrPeerClosed, transport.ErrClosed,
}

func checkTruncated(r *rig) {
	for _, n := range []int{51, 100 << 10} {
		a, b := r.pair()
		src, dst := a.filled(n, 1), b.filled(n+100, 2)
		first, behind := b.recv(dst, 50, 50), b.recv(dst, 0, 10)
		hostage, long := a.recv(a.region(10), 0, 10), a.send(src, 0, n, 0, 0)
		r.await(first, behind, hostage, long)
		r.wants(first.got.Err, transport.ErrTruncated)
		r.wants(behind.got.Err, ends...)
		r.wants(hostage.got.Err, ends...)
		if long.got.Err != nil { // it may have left before anybody knew
			r.wants(long.got.Err, ends...)
		}
		dst.wants("memory before the receive", 0, pattern(50, 2))
		dst.wants("memory past the receive", 100, pattern(n+100, 2)[100:])
		a.dead(a.trySend, ends...)
		b.dead(b.tryRecv, ends...)
	}
}

func checkSendFirst(r *rig) {
	a, b := r.pair()
	for _, n := range []int{1, 4096, 1 << 20} {
		src, dst := a.filled(n, 1), b.region(n)
		s := a.send(src, 0, n, 5, 6)
		for range 100 {
			a.poll()
			b.poll()
		}
		t := b.recv(dst, 0, n)
		r.await(s, t)
		a.wants(s, n)
		b.wants(t, n)
		dst.wants("a message sent before its receive was posted", 0, src.b)
	}
}

func checkRecvFirst(r *rig) {
	a, b := r.pair()
	for _, n := range []int{1, 4096, 1 << 20} {
		src, dst := a.filled(n, 1), b.region(n)
		t := b.recv(dst, 0, n)
		for range 100 {
			a.poll()
			b.poll()
		}
		if t.done {
			r.Fatalf("%v completed before its send was posted: %+v", t, t.got)
		}
		dst.wants("memory that waits for its send", 0, make([]byte, n))
		s := a.send(src, 0, n, 5, 6)
		r.await(s, t)
		a.wants(s, n)
		b.wants(t, n)
		dst.wants("a message received before it was sent", 0, src.b)
	}
}

func checkDuplex(r *rig) {
	const size = 8 << 20 // more than any kernel takes from a sender
	a, b := r.pair()
	src, dst := a.filled(size, 1), b.region(size)
	stuck := a.send(src, 0, size, 0, 0)
	for range 10 {
		b.exchange(a)
	}
	t := b.recv(dst, 0, size)
	r.await(stuck, t)
	b.wants(t, size)
	dst.wants("a message that waited for its receive", 0, src.b)
}
