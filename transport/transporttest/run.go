package transporttest

import (
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
)

// Config says how to make the transports under test. Only Open is mandatory.
type Config struct {
	// Open makes the transports of a new job: element i is rank i's. It skips
	// the test where the machine lacks what they take. The suite closes them.
	Open func(t testing.TB, ranks int) []transport.Transport
	// Kill ends tr as a crash of its rank would, without a word to the peers.
	// Nil skips what needs it. The suite does not use tr afterwards, but closes
	// it.
	Kill func(tr transport.Transport) error
	// PeerTimeout is the Identity.PeerTimeout that Open passes. Zero means 10 s.
	PeerTimeout time.Duration
	// Alloc makes n bytes of memory of a kind. It answers false for a kind that
	// it cannot make; what needs the kind is skipped. Nil means that there is
	// only mem.Host. The memory stays valid until the test is over.
	Alloc func(t testing.TB, kind mem.Kind, n int) (mem.Memory, bool)
}

// patience is how long the suite waits for what should happen at once.
const patience = 10 * time.Second

// subtest is one sentence of the contract.
type subtest struct {
	name  string
	check func(*rig)
}

// firstFive hold for every kind of memory.
var firstFive = []subtest{
	{"Order", checkOrder},
	{"TagEcho", checkTagEcho},
	{"ZeroLength", checkZeroLength},
	{"MaxMessage", checkMaxMessage},
	{"SubRange", checkSubRange},
}

var others = []subtest{
	{"ShorterSend", checkShorterSend},
	{"Truncated", checkTruncated},
	{"SendFirst", checkSendFirst},
	{"RecvFirst", checkRecvFirst},
	{"ManyInFlight", checkManyInFlight},
	{"BufferOwnership", checkBufferOwnership},
	{"QueueFull", checkQueueFull},
	{"InvalidRange", checkInvalidRange},
	{"RegionInUse", checkRegionInUse},
	{"PollNeverBlocks", checkPollNeverBlocks},
	{"WaitWakes", checkWaitWakes},
	{"WaitSleeps", checkWaitSleeps},
	{"WaitCancel", checkWaitCancel},
	{"Wake", checkWake},
	{"CloseUnblocks", checkCloseUnblocks},
	{"CloseDelivers", checkCloseDelivers},
	{"PeerDeath", checkPeerDeath},
	{"Lanes", checkLanes},
	{"AcceptCancel", checkAcceptCancel},
	{"DialRefused", checkDialRefused},
	{"Strangers", checkStrangers},
	{"OneOwner", checkOneOwner},
	{"NoLeak", checkNoLeak},
	{"SteadyStateAllocs", checkSteadyStateAllocs},
}

// kinds are all there are.
var kinds = []mem.Kind{mem.Host, mem.Pinned}

// Run checks each sentence of the contract in a subtest of its own.
func Run(t *testing.T, cfg Config) {
	if cfg.PeerTimeout == 0 {
		cfg.PeerTimeout = 10 * time.Second
	}
	if cfg.Alloc == nil {
		cfg.Alloc = goHeap
	}
	runAll(t, cfg, mem.Host, firstFive)
	runAll(t, cfg, mem.Host, others)
	t.Run("Memory", func(t *testing.T) {
		for _, kind := range kinds {
			t.Run(kind.String(), func(t *testing.T) { runMemory(t, cfg, kind) })
		}
	})
}

func runAll(t *testing.T, cfg Config, kind mem.Kind, tests []subtest) {
	for _, s := range tests {
		t.Run(s.name, func(t *testing.T) { s.check(newRig(t, cfg, kind)) })
	}
}

// runMemory runs the first five on memory of a kind that the transport takes,
// and checks that it refuses one that it does not.
func runMemory(t *testing.T, cfg Config, kind mem.Kind) {
	m, ok := cfg.Alloc(t, kind, 4096)
	if !ok {
		t.Skipf("Config.Alloc makes no %v memory", kind)
	}
	r := newRig(t, cfg, kind)
	tr := r.open(1)[0].tr
	if tr.Caps().Takes(kind) {
		if kind != mem.Host { // the subtests above were on host memory
			runAll(t, cfg, kind, firstFive)
		}
		return
	}
	if reg, err := tr.Register(m); err == nil {
		reg.Close()
		t.Errorf("Register took %v memory, which Caps lacks", kind)
	} else {
		r.wants(err, transport.ErrNotSupported)
	}
}

func goHeap(_ testing.TB, kind mem.Kind, n int) (mem.Memory, bool) {
	return mem.Bytes(make([]byte, n)), kind == mem.Host
}
