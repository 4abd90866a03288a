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
	// Alloc makes n bytes of memory of a kind, and says how to free it. Its error
	// skips what needs the kind. Nil means DefaultAlloc.
	Alloc func(kind mem.Kind, n int) (m mem.Memory, free func() error, err error)
}

// OfDriver tests what d opens, which has a method Kill besides.
func OfDriver(d transport.Driver) Config {
	job := uint64(0)
	open := func(t testing.TB, ranks int) []transport.Transport {
		job++
		var trs []transport.Transport
		for rank := range ranks {
			tr, err := d.Open(t.Context(), transport.Identity{Job: job, Token: []byte("token"), Rank: rank, Ranks: ranks})
			if err != nil {
				t.Fatal(err)
			}
			trs = append(trs, tr)
		}
		return trs
	}
	kill := func(tr transport.Transport) error {
		tr.(interface{ Kill() }).Kill()
		return nil
	}
	return Config{Open: open, Kill: kill}
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
	{"Duplex", checkDuplex},
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

func (c Config) withDefaults() Config {
	if c.PeerTimeout == 0 {
		c.PeerTimeout = 10 * time.Second
	}
	if c.Alloc == nil {
		c.Alloc = DefaultAlloc
	}
	return c
}

// Run checks each sentence of the contract in a subtest of its own.
func Run(t *testing.T, cfg Config) {
	cfg = cfg.withDefaults()
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
	m, free, err := cfg.Alloc(kind, 4096)
	if err != nil {
		t.Skipf("there is no %v memory: %v", kind, err)
	}
	defer free()
	r := newRig(t, cfg, kind)
	tr := r.open(1)[0].tr
	if tr.Caps().Takes(kind) {
		if kind != mem.Host { // the subtests above were on host memory
			runAll(t, cfg, kind, firstFive)
		}
		return
	}
	reg, err := tr.Register(m)
	if err == nil {
		reg.Close()
		t.Fatalf("Register took %v memory, which Caps lacks", kind)
	}
	r.wants(err, transport.ErrNotSupported)
}
