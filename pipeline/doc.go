// Package pipeline runs a collective plan over a transport, in overlapping
// stages. It is the loop of the library: it owns every byte that moves.
//
// A message is divided three times (partition.go): into the plan's chunks, the
// chunks into sub-chunks, and the sub-chunks into windows. A window is a small
// collective of its own on a slice of every chunk; a few are in flight at once,
// so that what a rank has just reduced is sent on while it is still in the
// cache, and memory stays bounded whatever the message size.
//
// One sub-chunk passes these stages: its receive is posted (into a scratch slot
// if it will be reduced, else straight into the result), it arrives, it is
// reduced with the local operand, and it is sent on. Transports and reduction
// engines are both posted to and polled; Runner.Run (runner.go) is the one loop
// that does so, and the goroutine that calls it owns all state. There is no
// goroutine per chunk, no callback and no lock.
//
// Which step must wait for which comes from the plan (program.go), never from
// timing; so the order of every addition is fixed, and results are bit-identical
// on all ranks and for every sub-chunk size, depth and transport.
package pipeline
