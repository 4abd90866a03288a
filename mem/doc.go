// Package mem says where bytes are and owns the ones that the library itself
// needs.
//
//   - A [Memory] describes a range of bytes and the [Kind] of place it lies in.
//     It is a value and owns nothing.
//   - A [Block] owns page-aligned memory outside the Go heap.
//   - A [Pool] divides a bounded number of such blocks, its slabs, into slots
//     of a power of two and hands them out again and again. It pins them where
//     the system allows it.
//
// Bytes outside the Go heap are invisible to the race detector. Built with
// -race, and on systems other than Linux and macOS, blocks therefore are
// ordinary Go memory, and whoever touches a slot that it does not own is found.
package mem
