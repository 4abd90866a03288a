package choose

import (
	"math/bits"

	"github.com/ringo-ccl/ringo/schedule"
)

// estimate is a question with the profile's answers to its parts, in nanoseconds.
// n is the whole array and P the ranks throughout.
type estimate struct {
	p       *Profile
	q       *Question
	n       int64
	ranks   int64
	hosts   int64
	local   int64 // ranks of the largest host
	link    Link  // of a hop between ranks
	crowd   int64 // how many ranks take turns on a processor, times 16
	between bool  // there are several hosts
}

func newEstimate(p *Profile, q *Question) *estimate {
	e := &estimate{p: p, q: q, n: int64(q.Bytes), ranks: int64(q.Ranks), hosts: int64(max(len(q.Hosts), 1)), link: p.Loopback}
	e.local = e.ranks
	if e.between = len(q.Hosts) > 1; e.between {
		e.local = 0
		for _, h := range q.Hosts {
			e.local = max(e.local, int64(h))
		}
		e.link = p.Network
	}
	e.crowd = max(16, 16*e.local/int64(p.Cores))
	return e
}

// busy is processor time that ranks spend in turns where they outnumber
// processors.
func (e *estimate) busy(ns int64) int64 { return ns * e.crowd / 16 }

// hop is a round in which every rank sends and receives that many messages. Where
// ranks take turns, a message also waits for its receiver's.
func (e *estimate) hop(messages int64) int64 {
	return e.busy(e.link.LatencyNS + 2*messages*e.link.MessageNS)
}

// crowded says that ranks take turns on processors.
func (e *estimate) crowded() bool { return e.crowd > 16 }

// move is the time for each rank to send that many bytes, of which its host sends
// out bytes over the network.
func (e *estimate) move(bytes, out int64) int64 {
	within := e.busy(psToNS(bytes, e.p.Loopback.PSPerByte))
	if !e.between {
		return within
	}
	return max(within, psToNS(out, e.p.Network.PSPerByte))
}

func (e *estimate) add(bytes int64) int64 { return e.busy(psToNS(bytes, e.p.ReducePSPerByte)) }

// psToNS multiplies bytes by picoseconds per byte, in nanoseconds.
func psToNS(bytes, ps int64) int64 { return bytes/1000*ps + bytes%1000*ps/1000 }

// rounds is log2 of the ranks, rounded up.
func rounds(ranks int64) int64 { return int64(bits.Len64(uint64(ranks - 1))) }

// part is n·(P-1)/P: what is left of an array without a rank's own part.
func (e *estimate) part() int64 { return e.n / e.ranks * (e.ranks - 1) }

// outside is how many ranks are on other hosts than a rank's.
func (e *estimate) outside() int64 { return e.ranks - e.local }

func (e *estimate) direct() int64 {
	shared := e.p.Shared
	return 2*(shared.LatencyNS+e.busy(shared.MessageNS)) + e.busy(psToNS(2*e.n, shared.PSPerByte))
}

func (e *estimate) flat() int64 {
	others := e.ranks - 1
	each := e.n // what a rank sends each other
	if e.q.Collective.Blocks() {
		each = e.n / e.ranks
	}
	if e.passesOn(each) {
		return rounds(e.ranks)*e.hop(1) + e.move(passingCopies*others*each, e.local*e.outside()*each) + e.addIf(others*each)
	}
	senders := e.local
	if e.q.Collective == schedule.Broadcast {
		senders = 1
	}
	return e.hop(others) + e.move(e.atOnce(others*each), senders*e.outside()*each) + e.addIf(others*each)
}

// atOnce is what bytes cost that a rank exchanges with all others at the same time:
// where ranks take turns, the buffers of so many connections do not fit the caches.
func (e *estimate) atOnce(bytes int64) int64 {
	if e.crowded() {
		return bytes + bytes*(e.ranks-2)/2
	}
	return bytes
}

// addIf is add for collectives that reduce.
func (e *estimate) addIf(bytes int64) int64 {
	if !e.q.Collective.Reduces() {
		return 0
	}
	return e.add(bytes)
}

// What the pipeline does with flat plans of short messages: contributions are
// passed on in rounds, up to passingRoom bytes in a message, at the price of
// passingCopies times the work for each byte.
const (
	passingRoom   = 64<<10 - 64
	passingCopies = 4
)

func (e *estimate) passesOn(each int64) bool {
	return e.q.Collective != schedule.Broadcast && e.ranks > 2 && e.ranks&(e.ranks-1) == 0 && each*e.ranks/2 <= passingRoom
}

func (e *estimate) exchange() int64 {
	if e.q.Collective != schedule.AllReduce {
		return e.flat()
	}
	return 2*e.hop(e.ranks-1) + e.move(e.atOnce(2*e.part()), 2*e.local*e.outside()*(e.n/e.ranks)) + e.add(e.part())
}

func (e *estimate) doubling() int64 {
	k := rounds(e.ranks)
	return k*e.hop(1) + e.move(k*e.n, rounds(e.hosts)*e.local*e.n) + e.add(k*e.n) + e.extras()
}

func (e *estimate) halving() int64 {
	return 2*rounds(e.ranks)*e.hop(1) + e.move(2*e.part(), e.local*e.n) + e.add(e.part()) + e.extras()
}

// extras is what ranks beyond a power of two add: they hand over all they have and
// get the result back.
func (e *estimate) extras() int64 {
	if e.ranks&(e.ranks-1) == 0 {
		return 0
	}
	return 2*e.hop(1) + e.move(2*e.n, e.local*e.n) + e.add(e.n)
}

func (e *estimate) ring() int64 {
	if e.q.Collective != schedule.AllReduce {
		return (e.ranks-1)*e.hop(1) + e.move(e.part(), e.part()) + e.addIf(e.part())
	}
	return 2*(e.ranks-1)*e.hop(1) + e.move(2*e.part(), 2*e.part()) + e.add(e.part())
}

func (e *estimate) chain() int64 {
	if e.q.Collective == schedule.ReduceScatter { // the last rank sends every other its block
		return e.ranks*e.hop(1) + e.move(e.n+e.part(), e.n+e.part()) + e.add(e.part())
	}
	moved := 2 * e.n // over the busiest links
	if e.crowded() { // what all ranks move together counts, and the ends of the chain move less
		moved = 2 * e.part()
	}
	return 2*(e.ranks-1)*e.hop(1) + e.move(moved, 2*e.n) + e.add(e.part())
}

// within is what happens in the memory of each host in hierarchical algorithms.
func (e *estimate) within() int64 { return e.direct() }

func (e *estimate) hierarchical() int64 {
	b := e.n / e.hosts * (e.hosts - 1)
	return e.within() + 2*(e.hosts-1)*e.hop(1) + psToNS(2*b, e.p.Network.PSPerByte)
}

func (e *estimate) hierarchicalOrdered() int64 {
	bytes := 2 * e.n
	if e.hosts == 2 {
		bytes = e.n
	}
	return e.within() + 2*(e.hosts-1)*e.hop(1) + psToNS(bytes, e.p.Network.PSPerByte)
}

func (e *estimate) binomial() int64 {
	k := rounds(e.ranks)
	return k*e.hop(1) + e.move(k*e.n, rounds(e.hosts)*e.local*e.n)
}

func (e *estimate) scatter() int64 {
	return e.hop(e.ranks-1) + (e.ranks-1)*e.hop(1) + e.move(2*e.part(), 2*e.part())
}
