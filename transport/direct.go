package transport

import (
	"context"

	"github.com/ringo-ccl/ringo/mem"
)

// Direct is the ability of a Transport to let ranks address each other's memory:
// shared memory within a host, the ranks of one process, later the devices of
// one machine. A Transport that has it implements Direct besides; what it adds
// are boards to signal on, and views of peers' buffers to read and write.
//
// The ranks that share memory are a team. Every member has one board: bytes that
// it alone writes and every member reads. Words on boards are 8-byte aligned and
// accessed with sync/atomic; a store of a word makes everything that its rank
// wrote before, on its board or in any shared buffer, visible to whoever loads
// the new value. What lies where on a board is the user's business.
//
// Like the rest of a Transport, a Direct has one owner at a time; only Wake and
// Close, which end an Await too, may come from elsewhere.
type Direct interface {
	// Place is the part of a Listener's address that ranks which can form a team
	// have in common, and no others.
	Place(addr string) string
	// Assemble connects this rank with the other members of its team: team holds
	// the Listener.Addr of every member by rank, this rank's included, and is the
	// same on all of them, as is boardSize (bytes). It returns when every member
	// is connected and all boards are mapped, zeroed and backed by memory; when
	// there is too little of it, the error says how much was wanted and where. A
	// Transport assembles at most once, after Listen and before its listener is
	// closed.
	Assemble(ctx context.Context, team map[int]string, boardSize int) error
	// Board is the board of a member, boardSize bytes at a page boundary; nil for
	// any other rank. It stays mapped until Disband, also when its rank dies.
	Board(rank int) []byte
	// Notify makes members that sleep in Await look again. Call it after a store
	// that others wait for; when nobody sleeps it costs a few loads.
	Notify()
	// Await returns true when *word, which lies on the board of peer, has reached
	// value (*word >= value). It looks for a bounded time, giving way to other
	// processes when ranks outnumber processors, and then sleeps, using no
	// processor. It returns false and nil after Wake, and possibly for no reason:
	// the caller looks around and waits again. Its error is ctx's; ErrPeerLost
	// when a member has died, ErrPeerClosed when peer has left, named in an
	// *OpError; or ErrClosed.
	Await(ctx context.Context, peer int, word *uint64, value uint64) (bool, error)
	// Alloc returns n zeroed bytes, registered, that every member can address.
	// The memory is mapped until the region's Close. When there is too little of
	// it the error says how much was wanted, where, and what to do; touching what
	// Alloc returned never faults.
	Alloc(n int) (MemoryRegion, error)
	// Address is the name under which members can View the bytes of r from off
	// on; ok is false when r is not memory of Alloc.
	Address(r MemoryRegion, off int) (a Address, ok bool)
	// View returns n bytes of peer's memory at a, mapping them on first use. The
	// view is valid while peer keeps the region open. A name that peer never gave
	// out, or a range outside its region, is ErrInvalid.
	View(peer int, a Address, n int) (mem.Memory, error)
	// Fetch copies len(dst) bytes from the private memory of peer, at the virtual
	// address from, with one copy by the kernel. Where that is not possible or
	// not allowed it answers ErrNotSupported with the reason.
	Fetch(dst []byte, peer int, from uintptr) error
	// Disband unmaps the boards and all views. Unlike Close it is the owner's to
	// call, when it touches none of them any more, and after Close.
	Disband() error
}

// Address names bytes that a rank shares with its team. The zero Address names
// nothing.
type Address struct {
	Segment uint64 // of the owning rank, from 1
	Offset  uint64 // bytes
}
