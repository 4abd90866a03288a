// Package bench measures collectives: warm-up, timed loops out of place and in
// place, a check of every element, percentiles, and algorithm and bus bandwidth
// as nccl-tests defines them. [Run] measures on a [Group] and tells a [Watcher];
// [Table], [WriteJSON], [WriteCSV] and [Plot] present a [Report].
//
// The time of a row is the mean over its iterations of the slowest rank. In
// [Throughput] mode nothing separates the iterations, so that is the longest
// rank's loop divided by the number of iterations; in [Latency] mode a barrier
// precedes each iteration and the maximum over the ranks is taken one by one.
// The ranks exchange their times through the group that is measured.
package bench
