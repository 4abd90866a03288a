// Package inproc is a transport between ranks of one process. It is the
// simplest thing that keeps the transport contract: a message is copied once,
// from the sender's memory to the receiver's, by whichever rank makes a send
// and its receive meet. There are no goroutines of its own.
//
// A [Network] is the [transport.Driver]; ranks that open the same Network reach
// each other. With [Config.Latency] or [Config.Bandwidth] set it models a wire
// in time: a message of n bytes that is posted at time t on a direction that is
// busy until f arrives at
//
//	max(t, f) + n/Bandwidth + Latency
//
// and can be received from then on. The model reads only package time, so in a
// testing/synctest bubble a whole job runs in virtual time and the result is
// exact.
package inproc
