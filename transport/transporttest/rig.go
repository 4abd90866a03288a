package transporttest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/internal/leak"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// rig is what one subtest stands on: its ranks, and the clock.
type rig struct {
	testing.TB
	cfg   Config
	kind  mem.Kind
	ctx   context.Context // ends some time after patience
	ranks []*rank
}

func newRig(t testing.TB, cfg Config, kind mem.Kind) *rig {
	leak.Check(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience+cfg.PeerTimeout)
	watchdog := time.AfterFunc(4*patience+2*cfg.PeerTimeout, func() {
		panic(t.Name() + ": a call that should have returned long ago has not")
	})
	t.Cleanup(func() { watchdog.Stop(); cancel() })
	return &rig{TB: t, cfg: cfg, kind: kind, ctx: ctx}
}

// open makes a new job of n ranks. They are closed, and everything outstanding
// on them is polled, when the subtest is over.
func (r *rig) open(n int) []*rank {
	r.Helper()
	trs := r.cfg.Open(r, n)
	if len(trs) != n {
		r.Fatalf("Config.Open made %d transports, not %d", len(trs), n)
	}
	var opened []*rank
	for i, tr := range trs {
		k := &rank{rig: r, n: i, tr: tr, tickets: map[uint64]*ticket{}}
		opened = append(opened, k)
		r.Cleanup(k.finish)
	}
	r.ranks = append(r.ranks, opened...)
	return opened
}

// pair makes a job of two ranks and a connection between them.
func (r *rig) pair() (a, b *line) {
	r.Helper()
	ranks := r.open(2)
	return r.connect(ranks[0], ranks[1], 0)
}

// connect makes rank from dial rank to.
func (r *rig) connect(from, to *rank, lane int) (dialed, accepted *line) {
	r.Helper()
	l := to.listen()
	ctx, cancel := context.WithTimeout(r.ctx, patience)
	defer cancel()
	type result struct {
		conn transport.Conn
		err  error
	}
	dial := make(chan result, 1)
	go func() {
		c, err := from.tr.Dial(ctx, l.Addr(), transport.Peer{Rank: to.n, Lane: lane})
		if err != nil {
			cancel() // nobody comes
		}
		dial <- result{c, err}
	}()
	in, err := l.Accept(ctx)
	if err != nil {
		cancel()
	}
	out := <-dial
	if err != nil || out.err != nil {
		r.Fatalf("connect: dial: %v; accept: %v", out.err, err)
	}
	return &line{from, out.conn}, &line{to, in}
}

// await drives all ranks until the tickets are done, and fails the test if that
// takes too long.
func (r *rig) await(tickets ...*ticket) {
	r.Helper()
	r.drive(patience, func() bool {
		for _, t := range tickets {
			if !t.done {
				return false
			}
		}
		return true
	})
}

// drive polls all ranks until done.
func (r *rig) drive(limit time.Duration, done func() bool) {
	r.Helper()
	if !r.driven(limit, done) {
		r.Fatalf("nothing happened for too long%s", r.outstanding())
	}
}

// driven polls all ranks until done or for limit, and reports which.
func (r *rig) driven(limit time.Duration, done func() bool) bool {
	r.Helper()
	end := time.Now().Add(limit)
	for idle := 0; !done(); idle++ {
		for _, k := range r.ranks {
			if k.poll() > 0 {
				idle = 0
			}
		}
		if idle > 100 {
			time.Sleep(20 * time.Microsecond)
			if time.Now().After(end) {
				return done()
			}
		}
	}
	return true
}

// outstanding describes what all ranks still wait for.
func (r *rig) outstanding() string {
	s := "; outstanding:"
	for _, k := range r.ranks {
		for _, t := range k.tickets {
			s += "\n\t" + t.String()
		}
	}
	return s
}

// wants fails the test unless err is an OpError that wraps one of the causes.
func (r *rig) wants(err error, causes ...error) {
	r.Helper()
	var op *transport.OpError
	if !errors.As(err, &op) {
		r.Errorf("got error %v (%T), want an *OpError of %v", err, err, causes)
		return
	}
	for _, cause := range causes {
		if errors.Is(err, cause) {
			return
		}
	}
	r.Errorf("got error %q, want one of %v", err, causes)
}

// equal fails the test unless got is what's wanted.
func equal[T comparable](r *rig, what string, got, want T) {
	r.Helper()
	if got != want {
		r.Errorf("%s is %v, want %v", what, short(got), short(want))
	}
}

func short(v any) string {
	if s := fmt.Sprint(v); len(s) <= 200 {
		return s
	}
	return fmt.Sprintf("%.200s…", fmt.Sprint(v))
}
