package transporttest

import (
	"fmt"

	"github.com/ringo-ccl/ringo/transport"
)

// line is one end of a connection.
type line struct {
	*rank
	conn transport.Conn
}

// ticket is a request that was posted.
type ticket struct {
	conn transport.Conn
	rank *rank
	op   string
	q    transport.Request
	done bool
	got  transport.Completion
}

func (t *ticket) String() string {
	p := t.conn.Peer()
	return fmt.Sprintf("rank %d: %s of %d bytes, id %d, rank %d lane %d", t.rank.n, t.op, t.q.Len, t.q.ID, p.Rank, p.Lane)
}

// send posts the send of n bytes at off and must succeed.
func (l *line) send(m *region, off, n int, seq, tag uint32) *ticket {
	l.Helper()
	return l.must(l.trySend(request(m, off, n, seq, tag)))
}

// recv posts the receive of n bytes at off and must succeed.
func (l *line) recv(m *region, off, n int) *ticket {
	l.Helper()
	return l.must(l.tryRecv(request(m, off, n, 0, 0)))
}

func (l *line) must(t *ticket, err error) *ticket {
	l.Helper()
	if err != nil {
		l.Fatalf("post %v: %v", t, err)
	}
	return t
}

func (l *line) trySend(q transport.Request) (*ticket, error) {
	return l.try("send", l.conn.PostSend, q)
}

func (l *line) tryRecv(q transport.Request) (*ticket, error) {
	return l.try("recv", l.conn.PostRecv, q)
}

func (l *line) try(op string, post func(transport.Request) error, q transport.Request) (*ticket, error) {
	l.lastID++
	q.ID = l.lastID<<16 | 0xabcd // not a small number
	t := &ticket{conn: l.conn, rank: l.rank, op: op, q: q}
	err := post(q)
	if err == nil {
		l.tickets[q.ID] = t
	}
	return t, err
}

// request describes n bytes of m; a nil m is no region.
func request(m *region, off, n int, seq, tag uint32) transport.Request {
	q := transport.Request{Off: off, Len: n, Seq: seq, Tag: tag}
	if m != nil {
		q.Region = m.MemoryRegion
	}
	return q
}

// wants fails the test unless the request succeeded and moved n bytes.
func (l *line) wants(t *ticket, n int) {
	l.Helper()
	if !t.done {
		l.Errorf("%v is not done", t)
	} else if t.got.Err != nil {
		l.Errorf("%v: %v", t, t.got.Err)
	} else if t.got.N != n {
		l.Errorf("%v: moved %d bytes, want %d", t, t.got.N, n)
	}
}

// exchange sends one byte to peer and awaits it: a sign of life.
func (l *line) exchange(peer *line) {
	l.Helper()
	from, to := l.filled(1, 77), peer.region(1)
	s, r := l.send(from, 0, 1, 0, 0), peer.recv(to, 0, 1)
	l.await(s, r)
	l.wants(s, 1)
	peer.wants(r, 1)
	to.wants("a sign of life", 0, from.b)
}

// dead fails the test unless a new request fails with one of the causes, at once
// or in its completion.
func (l *line) dead(post func(transport.Request) (*ticket, error), causes ...error) {
	l.Helper()
	t, err := post(transport.Request{})
	if err == nil {
		l.await(t)
		err = t.got.Err
	}
	if err == nil {
		l.Errorf("%v on a dead connection succeeded", t)
		return
	}
	l.rig.wants(err, causes...)
}
