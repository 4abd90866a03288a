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
// # Accumulators and shared memory
//
// A step may add to a chunk's accumulator instead of the chunk, so that a rank's
// own contribution need be neither the first nor the last of a sum.
//
// Ranks that share memory may read and write each other's chunks. Steps that do
// only that, Copy, Put, Signal and Await, run in program order and in turn with
// runs of messages: each such run begins when the direct step before it is done,
// and ends before the one after it begins. Load, Fold, Store and Finish belong to
// whatever precedes them. A signal happens after all earlier steps of its rank,
// and what follows an Await happens after the signal. Only that puts accesses of
// different ranks in order, and [Check] proves that it does wherever it matters.
//
// The package imports nothing of the module and does no I/O.
package schedule
