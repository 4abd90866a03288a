// Package allreduce is the public face of Ringo: collective communication
// between the ranks of a job, with ring AllReduce at its heart.
//
// A rank joins its group with [Join], which finds the others through the
// launcher's environment or a given Store. It then calls collectives in the same
// order as all other ranks: [AllReduce], [AllReduceTo], [ReduceScatter],
// [AllGather], [Broadcast] and [Group.Barrier] block; [Group.Start] does not.
// Buffers are slices: of [Alloc], which ranks of one host share and which are
// several times faster there, or ordinary ones. [RegisterSlice] makes repeated use
// of those cost no set-up.
//
// # Promise: the same bits
//
// With [Config].Reproducible, which is on by default, every element of a sum is
// x0 ∘ x1 ∘ x2 ∘ … in rank order, from left to right: what a loop over the ranks
// gives. It is bit-identical on all ranks and from run to run, and does not depend
// on transport, algorithm, hosts, sub-chunk size, depth, number of connections,
// buffers, timing or the processor's vector instructions. Only the payload of a
// NaN is not promised. Operators that do not commute are always applied in rank
// order.
//
// Switched off, the order also depends on the algorithm, which depends on size,
// ranks, hosts and [Config].Profile, and for a ring on [Config].Order; all else
// stays as promised.
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
