// Package allreduce is the public face of Ringo: collective communication
// between the ranks of a job, with ring AllReduce at its heart.
//
// A rank joins its group with [Join], which finds the others through the
// launcher's environment or a given Store. It then calls collectives in the same
// order as all other ranks: [AllReduce], [AllReduceTo], [ReduceScatter],
// [AllGather] and [Group.Barrier] block; [Group.Start] does not. Buffers are
// ordinary slices; [RegisterSlice] makes repeated use cost no set-up.
//
// # Promise: the same bits
//
// For a given world size, ring order, collective, operator and element type,
// every element of a result is computed by one fixed expression. It is
// bit-identical on all ranks and from run to run, and does not depend on
// sub-chunk size, depth, number of connections, transport, timing or the
// processor's vector instructions. Only the payload of a NaN is not promised.
// Operators that do not commute are applied in rank order.
//
// # Promise: no hang without a name
//
// Every call that can block takes a context and honours it, and collectives have
// a deadline besides (Config.OpTimeout). Each collective opens with a
// fingerprint, so ranks that call different things get an error with both sides
// instead of a hang or a wrong sum. When a rank dies, is cancelled or falls
// silent, all ranks return the same [*RankError], which names it.
//
// # Memory
//
// Beyond the caller's buffers a Group uses at most [PoolLimit] bytes, whatever
// the message size.
package allreduce
