// Package shm is the transport between processes of one Linux host. Messages go
// over unix sockets, as in package stream; besides, ranks address each other's
// memory (transport.Direct), which is what the fast plans use.
//
// # Memory
//
// A segment is anonymous memory (memfd) whose pages are reserved when it is made
// and whose size is sealed. Its descriptor is passed to the other members over a
// unix socket, and each checks seals and size before it maps: nothing that a peer
// does afterwards can make an access fault, and nothing has a name, so whatever
// processes are killed, nothing is left behind. Where the kernel has no memfd, a
// file in /dev/shm that is unlinked before it is shared takes its place.
//
// # Who may
//
// A socket is accepted from, and made to, processes of the same user or root, and
// both ends prove that they hold the job's token.
//
// # The flag protocol
//
// Every word on a board has one writer, its rank, and only grows. A writer fills
// in what the word announces and then stores the word; a reader loads the word
// and, having seen the new value, reads the rest. Go's atomic operations are
// sequentially consistent, so they order these accesses for processor and
// compiler alike: on amd64 a store is an exchange and a load is plain, on arm64
// they are store-release and load-acquire. That is all that happens while the
// waiting rank looks.
//
// A rank that has looked in vain for long enough sleeps. It stores 1 in its
// sleeping word, looks once more, and then waits in poll(2) for its sockets. A
// writer stores its word first and then loads the others' sleeping words, and
// writes a frame to the socket of each that is set. Both do a store followed by a
// load of what the other stores, so at least one of them sees the other's: either
// the sleeper sees the word, or the writer sees the sleeper and rings.
//
// The sockets also tell who has died: the kernel closes them with the process,
// which wakes whoever sleeps, and a rank does not look forever before it sleeps.
// The mapping of a dead rank's memory stays valid.
//
// The race detector does not see what processes do to each other. The same code
// of package pipeline runs on inproc's boards, where it does; and a model of the
// boards' protocol is checked in all interleavings in pipeline's tests.
package shm
