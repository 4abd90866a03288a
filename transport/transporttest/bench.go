package transporttest

import (
	"context"
	"fmt"
	"testing"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// window is how many messages Bench's streams keep in flight, at most.
const window = 16

// Bench measures the latency of a message that is answered, and the throughput
// of one direction. Each end runs in its own goroutine, as in a job.
func Bench(b *testing.B, cfg Config) {
	cfg = cfg.withDefaults()
	for _, n := range []int{4, 8 << 10, 64 << 10} {
		b.Run("PingPong/"+bytesName(n), func(b *testing.B) { benchPingPong(b, cfg, n) })
	}
	for _, n := range []int{64 << 10, 256 << 10, 1 << 20} {
		b.Run("Stream/"+bytesName(n), func(b *testing.B) { benchStream(b, cfg, n) })
	}
}

func bytesName(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%dMiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%dKiB", n>>10)
	}
	return fmt.Sprintf("%dB", n)
}

// racer is one end of a benchmark and how many of its requests have completed.
type racer struct {
	*line
	ctx        context.Context
	m          *region
	sent, rcvd int
	batch      [window]transport.Completion
}

// The IDs of a racer's requests.
const (
	idSend = iota
	idRecv
)

// until returns when count, which is sent or rcvd, has reached n.
func (x *racer) until(count *int, n int) error {
	for *count < n {
		k, err := x.tr.Poll(x.batch[:])
		if err != nil {
			return err
		}
		for _, c := range x.batch[:k] {
			if c.Err != nil {
				return c.Err
			}
			if c.ID == idSend {
				x.sent++
			} else {
				x.rcvd++
			}
		}
		if k == 0 {
			if err := x.tr.Wait(x.ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// post posts a send or a receive of n bytes.
func (x *racer) post(id uint64, off, n int) error {
	q := transport.Request{Region: x.m.MemoryRegion, Off: off, Len: n, ID: id}
	if id == idSend {
		return x.conn.PostSend(q)
	}
	return x.conn.PostRecv(q)
}

// race runs both ends at once and times them.
func race(b *testing.B, cfg Config, bytes int, near, far func(*racer) error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := &rig{TB: b, cfg: cfg, kind: mem.Host, ctx: ctx}
	out, in := r.pair()
	x := &racer{line: out, ctx: ctx, m: out.filled(bytes, 1)}
	y := &racer{line: in, ctx: ctx, m: in.region(bytes)}
	ended := make(chan error, 1)
	b.ReportAllocs()
	b.ResetTimer()
	go func() {
		err := far(y)
		if err != nil {
			cancel()
		}
		ended <- err
	}()
	err := near(x)
	if err != nil {
		cancel()
	}
	if other := <-ended; err != nil || other != nil {
		b.Fatalf("near end: %v; far end: %v", err, other)
	}
	b.StopTimer()
}

func benchPingPong(b *testing.B, cfg Config, n int) {
	b.SetBytes(int64(n))
	race(b, cfg, 2*n,
		func(x *racer) error { return x.pingPong(b.N, n, true) },
		func(x *racer) error { return x.pingPong(b.N, n, false) })
}

// pingPong takes turns with the other end. The receive of the next turn is
// posted before the message that provokes it is sent.
func (x *racer) pingPong(turns, n int, first bool) error {
	sends := 0
	send := func() error {
		if err := x.until(&x.sent, sends); err != nil {
			return err
		}
		sends++
		return x.post(idSend, 0, n)
	}
	for i := range turns {
		if err := x.post(idRecv, n, n); err != nil {
			return err
		}
		if first || i > 0 { // the second answers the turn before
			if err := send(); err != nil {
				return err
			}
		}
		if err := x.until(&x.rcvd, i+1); err != nil {
			return err
		}
	}
	if !first {
		if err := send(); err != nil {
			return err
		}
	}
	return x.until(&x.sent, turns)
}

func benchStream(b *testing.B, cfg Config, n int) {
	b.SetBytes(int64(n))
	race(b, cfg, window*n,
		func(x *racer) error { return x.stream(idSend, &x.sent, b.N, n) },
		func(x *racer) error { return x.stream(idRecv, &x.rcvd, b.N, n) })
}

// stream keeps a window of sends or receives in flight.
func (x *racer) stream(id uint64, done *int, messages, n int) error {
	slots := min(window, x.tr.Caps().QueueDepth)
	for i := range messages {
		if err := x.until(done, i-slots+1); err != nil {
			return err
		}
		if err := x.post(id, i%slots*n, n); err != nil {
			return err
		}
	}
	return x.until(done, messages)
}
