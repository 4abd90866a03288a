package pipeline

import (
	"github.com/ringo-ccl/ringo/transport"
)

// channel is the traffic to or from one peer during a run: a cursor over its
// route, in the order window, op, unit. Both ends walk the same order, so the
// n-th send meets the n-th receive, on lane n modulo the number of lanes.
type channel struct {
	peer  int
	conns []transport.Conn
	route []int32

	window int // cursor
	at     int // index into route
	unit   int
	lane   int
	flying int // posted units not completed
}

// rewind sets the cursor to the start of a run.
func (c *channel) rewind(route []int32) {
	c.route = route
	c.window, c.at, c.unit, c.lane = 0, 0, 0, 0
	c.flying = 0
}

// advance moves the cursor to the next unit.
func (c *channel) advance() {
	if c.unit++; c.unit < windowUnits {
		return
	}
	c.unit = 0
	if c.at++; c.at < len(c.route) {
		return
	}
	c.at = 0
	c.window++
}

// conn is the connection of the next unit.
func (c *channel) conn() transport.Conn { return c.conns[c.lane] }

// posted counts a unit that was posted.
func (c *channel) posted() {
	c.flying++
	if c.lane++; c.lane == len(c.conns) {
		c.lane = 0
	}
}
