package allreduce

import "sync/atomic"

// progress says how far a group is, in one word, so that a collective begins and
// ends with one atomic store each: the number of collectives begun, then 8 bits of
// the last one's collective, then whether it runs. The goroutine that has the turn
// writes; any reads.
type progress struct{ word atomic.Uint64 }

const isRunning = 1

// begin numbers the next collective, from 1.
func (p *progress) begin(collective uint8) (seq uint64) {
	seq = p.begun() + 1
	p.word.Store(seq<<9 | uint64(collective)<<1 | isRunning)
	return seq
}

func (p *progress) end() { p.word.Store(p.word.Load() &^ isRunning) }

// begun is how many collectives have begun.
func (p *progress) begun() uint64 { return p.word.Load() >> 9 }

// running is the number of the running collective, 0 between collectives.
func (p *progress) running() uint64 {
	if w := p.word.Load(); w&isRunning != 0 {
		return w >> 9
	}
	return 0
}

// name is the running collective's, empty between collectives.
func (p *progress) name() string {
	if w := p.word.Load(); w&isRunning != 0 {
		return collectiveName(uint8(w >> 1))
	}
	return ""
}
