package transporttest

import (
	"bytes"
	"math"
	"time"

	"github.com/ringo-ccl/ringo/transport"
)

func checkQueueFull(r *rig) {
	a, b := r.pair()
	depth := a.tr.Caps().QueueDepth
	if depth < 4 {
		r.Fatalf("Caps.QueueDepth is %d, want at least 4", depth)
	}
	src, dst := a.filled(depth+1, 1), b.region(depth+1)
	var sent, rcvd []*ticket
	for i := range depth { // nobody polls meanwhile
		sent = append(sent, a.send(src, i, 1, uint32(i), 0))
		rcvd = append(rcvd, b.recv(dst, i, 1))
	}
	for range 3 {
		_, err := a.trySend(request(src, depth, 1, 99, 99))
		r.wants(err, transport.ErrQueueFull)
		_, err = b.tryRecv(request(dst, depth, 1, 0, 0))
		r.wants(err, transport.ErrQueueFull)
	}
	a.recv(a.region(1), 0, 1) // the other half of the queue is empty
	r.await(sent...)
	r.await(rcvd...)
	for i, t := range rcvd {
		b.wants(t, 1)
		equal(r, "Seq", t.got.Seq, uint32(i))
	}
	s, t := a.send(src, depth, 1, 7, 0), b.recv(dst, depth, 1)
	r.await(s, t)
	equal(r, "Seq after the queue was full", t.got.Seq, 7)
	dst.wants("all messages", 0, src.b)
}

func checkInvalidRange(r *rig) {
	a, b := r.pair()
	const size = 100
	mine, others := a.filled(size, 1), b.filled(size, 2)
	gone := a.region(size)
	if err := gone.release(); err != nil {
		r.Fatal(err)
	}
	for what, q := range map[string]transport.Request{
		"negative length":        request(mine, 0, -1, 0, 0),
		"negative offset":        request(mine, -1, 1, 0, 0),
		"past the end":           request(mine, 1, size, 0, 0),
		"offset past the end":    request(mine, size+1, 0, 0, 0),
		"overflow":               request(mine, math.MaxInt, math.MaxInt, 0, 0),
		"overflow to the inside": request(mine, math.MaxInt-1, 3, 0, 0),
		"bytes without a region": request(nil, 0, 1, 0, 0),
		"another's region":       request(others, 0, 1, 0, 0),
		"closed region":          request(gone, 0, 1, 0, 0),
	} {
		for _, try := range []func(transport.Request) (*ticket, error){a.trySend, a.tryRecv} {
			if t, err := try(q); err == nil {
				r.Errorf("%s: %v was taken", what, t)
				delete(t.rank.tickets, t.q.ID)
			} else {
				r.wants(err, transport.ErrInvalid)
			}
		}
	}
	a.exchange(b)
	b.exchange(a)
}

func checkRegionInUse(r *rig) {
	a, b := r.pair()
	src, dst := a.filled(10, 1), b.region(10)
	if !bytes.Equal(dst.Memory().Bytes(), dst.b) {
		r.Errorf("Memory is not what was registered")
	}
	first, second := b.recv(dst, 0, 5), b.recv(dst, 5, 5)
	r.wants(dst.Close(), transport.ErrRegionInUse)
	s := a.send(src, 0, 5, 0, 0)
	r.await(s, first)
	r.wants(dst.Close(), transport.ErrRegionInUse)
	s = a.send(src, 5, 5, 0, 0)
	r.await(s, second)
	b.wants(second, 5)
	dst.wants("a region that did not close", 0, src.b)
	for _, m := range []*region{src, dst} {
		if err := m.release(); err != nil {
			r.Errorf("close region after all its requests: %v", err)
		}
	}
}

func checkPollNeverBlocks(r *rig) {
	a, b := r.pair()
	src, dst := a.filled(4, 1), b.region(4)
	recvs := []*ticket{b.recv(dst, 0, 1), b.recv(dst, 1, 1), b.recv(dst, 2, 1)}
	start := time.Now()
	for i := range 1000 {
		if n := b.poll(); n != 0 {
			r.Fatalf("Poll returned %d completions of nothing", n)
		}
		if took := time.Since(start); took > time.Second {
			r.Fatalf("%d Polls of nothing took %v", i+1, took)
		}
	}
	sends := []*ticket{a.send(src, 0, 1, 0, 0), a.send(src, 1, 1, 1, 0), a.send(src, 2, 1, 2, 0)}

	var none, one [1]transport.Completion
	end := time.Now().Add(patience)
	for i := 0; i < len(recvs) && time.Now().Before(end); {
		a.poll()
		if n, err := b.tr.Poll(none[:0]); n != 0 || err != nil {
			r.Fatalf("Poll without room returned %d, %v", n, err)
		}
		n, err := b.tr.Poll(one[:])
		if err != nil {
			r.Fatal(err)
		}
		if n == 1 {
			b.settle(one[0])
			equal(r, "the Seq of a Completion by itself", one[0].Seq, uint32(i))
			i++
		}
	}
	r.await(append(sends, recvs...)...)
}
