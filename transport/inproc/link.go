package inproc

import (
	"time"

	"github.com/ringo-ccl/ringo/transport"
)

// half tells the two queues of a direction apart.
type half int

const (
	sending half = iota
	receiving
)

var halfNames = [2]string{sending: "send", receiving: "recv"}

// link joins two Conns. Its directions share nothing, so the ranks can copy in
// both at once.
type link struct {
	ends [2]*Conn
	dirs [2]direction // dirs[i] carries what ends[i] sends
}

func newLink(cfg *Config, dialer, acceptor *Conn) *link {
	l := &link{ends: [2]*Conn{dialer, acceptor}}
	for side, c := range l.ends {
		c.link, c.side = l, side
		l.dirs[side].cfg = cfg
		l.dirs[side].ends = [2]*Conn{sending: c, receiving: l.ends[1-side]}
	}
	return l
}

// direction returns the one in which the end at side does h.
func (l *link) direction(side int, h half) *direction {
	if h == receiving {
		side = 1 - side
	}
	return &l.dirs[side]
}

// fail ends the link with one error for the end at side and one for its peer.
// An error that is there already stays.
func (l *link) fail(side int, here, there error) {
	var why [2]error
	why[side], why[1-side] = here, there
	for i := range l.dirs {
		l.dirs[i].fail(why[i], why[1-i])
	}
}

// progress matches what can be matched by now in both directions.
func (l *link) progress(now time.Time) {
	for i := range l.dirs {
		if !l.dirs[i].advance(now) {
			l.truncated()
		}
	}
}

// truncated ends the link after a send that was longer than its receive.
func (l *link) truncated() { l.fail(0, transport.ErrTruncated, transport.ErrTruncated) }

// due is the earliest time at which progress would match something.
func (l *link) due() (at time.Time, ok bool) {
	for i := range l.dirs {
		if d, some := l.dirs[i].due(); some && (!ok || d.Before(at)) {
			at, ok = d, true
		}
	}
	return at, ok
}

// alive reports whether both directions still work.
func (l *link) alive() bool {
	return l.dirs[0].err(sending) == nil && l.dirs[1].err(sending) == nil
}
