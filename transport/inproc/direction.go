package inproc

import (
	"fmt"
	"sync"
	"time"

	"github.com/ringo-ccl/ringo/transport"
)

// request is a posted send or receive.
type request struct {
	buf      []byte
	region   *region // nil when the request has none
	id       uint64
	seq, tag uint32
	arrives  time.Time // of a send, where the network is modeled
}

// direction is one way of a link: the sends of one end, the receives of the
// other, and the wire between them.
type direction struct {
	cfg  *Config
	ends [2]*Conn // by half

	mu     sync.Mutex
	queues [2]ring[request] // by half
	free   time.Time        // when the wire has taken all that was posted
	down   [2]error         // by half: why the direction is dead, or nil
}

// post queues q and reports whether a match must wait for the wire; ok is false
// after a truncation, which ends the link.
func (d *direction) post(h half, q request, now time.Time) (later, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down[h] != nil {
		return false, true, d.down[h]
	}
	if h == sending && !now.IsZero() {
		q.arrives = d.carry(len(q.buf), now)
	}
	if q.region != nil {
		q.region.users.Add(1)
	}
	d.queues[h].push(q)
	ok = d.match(now)
	return d.paired(), ok, nil
}

// carry puts n bytes on the wire and returns when they arrive.
func (d *direction) carry(n int, now time.Time) time.Time {
	if d.free.Before(now) {
		d.free = now
	}
	if d.cfg.Bandwidth > 0 {
		d.free = d.free.Add(time.Duration(float64(n) / d.cfg.Bandwidth * float64(time.Second)))
	}
	return d.free.Add(d.cfg.Latency)
}

// advance is match under the lock.
func (d *direction) advance(now time.Time) (ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.match(now)
}

// match moves the bytes of each send that has arrived to its receive. It stops
// and returns false at a send that does not fit.
func (d *direction) match(now time.Time) (ok bool) {
	for d.paired() && !d.queues[sending].front().arrives.After(now) {
		s, r := d.queues[sending].pop(), d.queues[receiving].pop()
		if len(s.buf) > len(r.buf) {
			err := fmt.Errorf("%w: %d bytes for %d", transport.ErrTruncated, len(s.buf), len(r.buf))
			d.down = [2]error{err, err}
			d.finish(sending, s, transport.Completion{Seq: s.seq, Tag: s.tag}, err)
			d.finish(receiving, r, transport.Completion{Seq: s.seq, Tag: s.tag}, err)
			d.drain()
			return false
		}
		c := transport.Completion{Seq: s.seq, Tag: s.tag, N: copy(r.buf, s.buf)}
		d.finish(sending, s, c, nil)
		d.finish(receiving, r, c, nil)
	}
	return true
}

// paired reports whether a send and a receive stand opposite each other.
func (d *direction) paired() bool {
	return d.queues[sending].len() > 0 && d.queues[receiving].len() > 0
}

// finish hands a request back to the end that posted it.
func (d *direction) finish(h half, q request, c transport.Completion, err error) {
	if q.region != nil {
		q.region.users.Add(-1)
	}
	conn := d.ends[h]
	c.ID, c.Peer = q.id, conn.peer
	if err != nil {
		c.Err = opError(halfNames[h], conn.peer.Rank, err)
	}
	conn.t.completions.push(finished{Completion: c, conn: conn, half: h})
}

// fail ends the direction, with an error for its sender and one for its
// receiver, unless it has ended already.
func (d *direction) fail(sender, receiver error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down[sending] == nil {
		d.down = [2]error{sending: sender, receiving: receiver}
		d.drain()
	}
}

// drain completes all that is queued with the direction's error.
func (d *direction) drain() {
	for _, h := range []half{sending, receiving} {
		for d.queues[h].len() > 0 {
			q := d.queues[h].pop()
			d.finish(h, q, transport.Completion{Seq: q.seq, Tag: q.tag}, d.down[h])
		}
	}
}

// due is when the next pair can meet.
func (d *direction) due() (at time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.paired() {
		return time.Time{}, false
	}
	return d.queues[sending].front().arrives, true
}

func (d *direction) err(h half) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.down[h]
}
