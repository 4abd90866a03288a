// Package schedule holds collectives as plans: for every rank the sends,
// receives and reductions it performs, as plain data. A [Plan] is made by a
// constructor such as [Ring] or [Chain], read and written as text, and proved
// right by [Check] before a byte is moved.
//
// A plan cuts the buffer into chunks 0..Chunks-1. A rank's steps are listed in
// program order but need not run in it: a step waits for the earlier steps it
// conflicts with ([Plan.Deps]) and for the earlier steps with the same peer in
// the same direction, and for nothing else. Every execution that respects this
// computes the same result, bit for bit.
//
// The package imports nothing of the module and does no I/O.
package schedule
