package transporttest

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ringo-ccl/ringo/transport"
)

// stream is one direction of ManyInFlight.
type stream struct {
	from, to   *line
	sizes      []int
	src, dst   *region
	sent, rcvd []*ticket
	offs       []int
}

const biggest = 300 << 10

func newStream(from, to *line, n int, rnd *rand.Rand, seed uint64) *stream {
	s := &stream{from: from, to: to}
	total := 0
	for range n {
		size := rnd.IntN(biggest)
		if rnd.IntN(2) == 0 {
			size = rnd.IntN(300) // small ones are where the order goes wrong
		}
		s.sizes, s.offs = append(s.sizes, size), append(s.offs, total)
		total += size
	}
	s.src, s.dst = from.filled(total, seed), to.region(total)
	return s
}

// post posts the next send or receive, if there is one and the queue has room.
func (s *stream) post(r *rig, send bool) {
	l, posted, m := s.to, &s.rcvd, s.dst
	try := l.tryRecv
	if send {
		l, posted, m = s.from, &s.sent, s.src
		try = l.trySend
	}
	i := len(*posted)
	if i == len(s.sizes) {
		return
	}
	t, err := try(request(m, s.offs[i], s.sizes[i], uint32(i), ^uint32(i)))
	if err != nil {
		r.wants(err, transport.ErrQueueFull)
		return
	}
	*posted = append(*posted, t)
}

func (s *stream) done() bool {
	return s.from.idle() && s.to.idle() && len(s.sent) == len(s.sizes) && len(s.rcvd) == len(s.sizes)
}

func (s *stream) check(r *rig) {
	for i, n := range s.sizes {
		s.from.wants(s.sent[i], n)
		s.to.wants(s.rcvd[i], n)
		equal(r, "Seq", s.rcvd[i].got.Seq, uint32(i))
		equal(r, "Tag", s.rcvd[i].got.Tag, ^uint32(i))
	}
	s.dst.wants("a stream", 0, s.src.b)
}

func checkManyInFlight(r *rig) {
	const seed, n = 20260101, 150
	r.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	a, b := r.pair()
	both := []*stream{newStream(a, b, n, rnd, 1), newStream(b, a, n, rnd, 2)}
	r.drive(patience, func() bool {
		for range rnd.IntN(40) {
			both[rnd.IntN(2)].post(r, rnd.IntN(2) == 0)
		}
		return r.Failed() || both[0].done() && both[1].done()
	})
	if !r.Failed() {
		both[0].check(r)
		both[1].check(r)
	}
}

func checkBufferOwnership(r *rig) {
	a, b := r.pair()
	for _, n := range []int{1, 4096, 256 << 10} {
		src, dst := a.filled(n, 1), b.filled(2*n, 2)
		t, s := b.recv(dst, 0, n), a.send(src, 0, n, 0, 0)
		for i := 0; i < 1000 && !s.done; i++ {
			a.poll() // a transport may need the peer's poll, or not
		}
		r.drive(patience, func() bool { return s.done })
		fill(src.b, 3)
		r.await(t)
		dst.wants("a message whose source was overwritten after its send", 0, pattern(n, 1))

		fill(dst.b[:n], 4)
		t, s = b.recv(dst, n, n), a.send(src, 0, n, 0, 0)
		r.await(t, s)
		dst.wants("a later message", n, pattern(n, 3))
		dst.wants("memory of a completed receive", 0, pattern(n, 4))
		src.wants("memory of a completed send", 0, pattern(n, 3))
	}
}

func checkSteadyStateAllocs(r *rig) {
	if raceEnabled {
		r.Skip("the race detector allocates")
	}
	a, b := r.pair()
	const n = 4096
	src, dst := a.filled(n, 1), b.region(n)
	send, recv := request(src, 0, n, 0, 0), request(dst, 0, n, 0, 0)
	var done [4]transport.Completion
	exchange := func() {
		if err := b.conn.PostRecv(recv); err != nil {
			r.Fatal(err)
		}
		if err := a.conn.PostSend(send); err != nil {
			r.Fatal(err)
		}
		for left := 2; left > 0; {
			i, errA := a.tr.Poll(done[:])
			j, errB := b.tr.Poll(done[i:])
			for _, c := range done[:i+j] {
				if c.Err != nil {
					r.Fatal(c.Err)
				}
			}
			if errA != nil || errB != nil {
				r.Fatal(errA, errB)
			}
			if i+j == 0 {
				runtime.Gosched()
			}
			left -= i + j
		}
	}
	many := func() {
		for range 50 {
			exchange()
		}
	}
	many()
	if got := testing.AllocsPerRun(5, many); got > 0 {
		r.Errorf("50 messages made %v allocations", got)
	}
}
