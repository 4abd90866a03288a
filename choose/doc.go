// Package choose picks an algorithm for a collective from a cost model: as data
// and arithmetic, without any I/O.
//
// A [Profile] says what a message, a byte and an addition cost, per kind of link;
// a [Question] says what is to be done and by whom; [Profile.Choose] estimates
// every algorithm that may be used and takes the cheapest. The estimates are the
// usual ones: a latency and a time per byte for each message (Hockney), summed
// along the longest path of messages as in Thakur, Rabenseifner and Gropp
// ("Optimization of collective communication operations in MPICH", 2005), plus
// what is peculiar to one machine: ranks that share processors take turns, and
// ranks that share a network card share its bandwidth.
//
// All ranks must pick the same. They ask the same question of the same profile,
// which one of them distributes, and the arithmetic is in integers: nanoseconds,
// bytes, picoseconds per byte. Where buffers lie is not part of a question, since
// it may differ between ranks.
package choose
