// Package transport says how ranks exchange messages: what a [Driver], a
// [Transport] and a [Conn] promise to the code above them. The transports
// themselves are in the packages below this one and elsewhere; anybody can add
// another.
//
// # The contract
//
// Each numbered sentence is checked by the subtest of transporttest.Run whose
// name comes first. "Completes" means: its one [Completion] comes out of Poll.
//
// Messages:
//
//  1. Order: receives match sends in posting order, on each Conn and in each
//     direction on its own.
//  2. TagEcho: a Completion has its request's ID, the Peer of its Conn, and the
//     Seq and Tag of the send, on both sides.
//  3. ZeroLength: a message may be empty, with or without a region; it takes its
//     turn like any other.
//  4. MaxMessage: a message of Caps.MaxMessage bytes arrives, and a longer
//     request is refused with ErrInvalid.
//  5. SubRange: a send reads and a receive writes nothing outside
//     [Off, Off+Len) of its region.
//  6. ShorterSend: a receive may be longer than its send; N is what was sent.
//  7. Truncated: a send longer than its receive ends the connection. The receive
//     completes with ErrTruncated, memory past its Len is untouched, and what
//     either side has outstanding or posts later fails.
//  8. SendFirst: a send may be posted before its receive. It may complete before
//     its receive is posted, but need not.
//  9. RecvFirst: a receive may be posted before its send.
//  10. Duplex: a direction does not wait for the other: a send that nobody
//     receives holds up no receive.
//  11. ManyInFlight: any number of requests up to QueueDepth, of any sizes, may
//     be outstanding in both directions at once.
//  12. BufferOwnership: from a post that returned nil until its Completion the
//     transport owns the bytes, and at no other time. A completed send's bytes
//     may be overwritten, whether they have arrived or not.
//
// Queues:
//
//  13. QueueFull: a Conn takes QueueDepth sends and QueueDepth receives,
//     which is at least 4 of each. A request counts until its Completion has been
//     polled. One more is refused with ErrQueueFull and has no effect.
//  14. InvalidRange: a range outside its region, bytes without a region, and a
//     region that is closed or another Transport's are refused with ErrInvalid
//     and have no effect.
//  15. RegionInUse: a region with an outstanding request does not close; it
//     answers ErrRegionInUse and stays usable.
//  16. PollNeverBlocks: Poll returns at once, with 0 if nothing has finished,
//     and with no more than it has room for; the rest stays for the next Poll.
//
// Waiting:
//
//  17. WaitWakes: Wait returns when a completion is there or arrives, also when
//     it arrived before the Wait.
//  18. WaitSleeps: a Wait that has nothing to do uses no processor.
//  19. WaitCancel: Wait returns ctx's error when ctx ends.
//  20. Wake: Wake makes the current Wait return or, if there is none, the next.
//
// Ends:
//
//  21. CloseUnblocks: after Close every outstanding request completes exactly
//     once: here with ErrClosed, at the peer with ErrPeerClosed; a send that had
//     left already may have succeeded. Later posts fail. A Transport's Close
//     does this for all its connections and makes its Wait return.
//  22. CloseDelivers: a send that completed without error is received, even if
//     its sender closes the connection at once.
//  23. PeerDeath: if the peer dies, every outstanding request completes with
//     ErrPeerLost within Identity.PeerTimeout, and a sleeping Wait returns for
//     it.
//
// Connections:
//
//  24. Lanes: the connections between the same two ranks are independent, in
//     both directions of dialing, and Peer is right on both ends.
//  25. AcceptCancel: Accept returns ctx's error when ctx ends, and ErrClosed
//     after Close; neither harms later connections.
//  26. DialRefused: a Dial that nobody answers fails, at the latest when ctx
//     ends, with an error that names the address.
//  27. Strangers: a rank of another job, and one that dials the wrong rank, get
//     an error; Accept never returns them.
//
// As a whole:
//
//  28. OneOwner: one goroutine at a time uses a Transport, and it need not stay
//     the same one; Wake and Close may be called from any.
//  29. NoLeak: after Close nothing is left: no goroutine, no descriptor, no
//     process.
//  30. SteadyStateAllocs: at steady state Post and Poll allocate nothing.
//  31. Memory: the first five hold for every kind of memory in Caps.Kinds, and
//     Register refuses any other with ErrNotSupported.
package transport
