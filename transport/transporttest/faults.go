package transporttest

import "github.com/ringo-ccl/ringo/transport"

// Faults says how Faulty disturbs a transport. The zero value does not.
//
// With HoldPolls, OneAtATime and SpuriousWaitEvery a transport still keeps the
// contract: it is only unkind.
type Faults struct {
	// HoldPolls holds every completion back for so many Polls.
	HoldPolls int
	// OneAtATime makes Poll return no more than one completion.
	OneAtATime bool
	// SpuriousWaitEvery makes every n-th Wait return at once. Zero means none.
	SpuriousWaitEvery int
	// QueueFullEvery refuses every n-th post, of sends and receives together,
	// with ErrQueueFull. The Wait after it returns at once, as there may be
	// nothing outstanding that could end it. Zero means none.
	QueueFullEvery int
	// LosePeerAt makes the n-th completion, counted from 1, and all later ones
	// of its connection fail with ErrPeerLost. The peer sees the connection
	// closed. Zero means none.
	LosePeerAt int
}

// Faulty wraps tr in a transport that misbehaves as faults say. The result owns
// tr; its method Unwrap() transport.Transport returns it.
func Faulty(tr transport.Transport, faults Faults) transport.Transport {
	return &faulty{Transport: tr, faults: faults, depth: tr.Caps().QueueDepth}
}
