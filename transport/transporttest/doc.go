// Package transporttest checks that a transport keeps the contract in the
// comment of package transport, measures it, and disturbs it.
//
// A transport joins with one line in a test of its own:
//
//	func TestConformance(t *testing.T) {
//		transporttest.Run(t, transporttest.Config{Open: open})
//	}
//
// and its benchmarks with another:
//
//	func BenchmarkTransport(b *testing.B) {
//		transporttest.Bench(b, transporttest.Config{Open: open})
//	}
//
// [Faulty] wraps a transport that works in one that is slow, full or loses its
// peers, for tests of the code above.
package transporttest
