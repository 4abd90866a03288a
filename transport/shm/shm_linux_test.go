package shm

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringo-ccl/ringo/internal/leak"
	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/transport"
	"github.com/ringo-ccl/ringo/transport/transporttest"
)

func config(cfg Config) transporttest.Config { return transporttest.OfDriver(New(cfg)) }

func TestConformance(t *testing.T) { transporttest.Run(t, config(Config{})) }

func BenchmarkTransport(b *testing.B) { transporttest.Bench(b, config(Config{})) }

// assembled makes a team of ranks in this process.
func assembled(t testing.TB, cfg Config, ranks, boardSize int) []*Transport {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	trs := make([]*Transport, ranks)
	team := map[int]string{}
	for rank, tr := range config(cfg).Open(t, ranks) {
		trs[rank] = tr.(*Transport)
		l, err := tr.Listen(ctx)
		if err != nil {
			t.Fatal(err)
		}
		team[rank] = l.Addr()
	}
	t.Cleanup(func() {
		for _, tr := range trs {
			tr.Close()
			if err := tr.Disband(); err != nil {
				t.Error(err)
			}
		}
	})
	var wg sync.WaitGroup
	for _, tr := range trs {
		wg.Go(func() {
			if err := tr.Assemble(ctx, team, boardSize); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return trs
}

func word(tr *Transport, rank, i int) *uint64 { return wordOf(tr.Board(rank)[8*i:]) }

// TestBoards: what a rank writes on its board before it stores a word, others
// read when they have awaited the word, whether they looked or slept.
func TestBoards(t *testing.T) {
	leak.Check(t)
	for _, cfg := range []Config{{}, {Dir: t.TempDir()}} {
		trs := assembled(t, cfg, 3, 10000)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		for rank, tr := range trs {
			wg.Go(func() {
				for round := uint64(1); round <= 300; round++ {
					tr.Board(rank)[9000+rank] = byte(round)
					if round%100 == 0 && rank == 1 { // the others have time to fall asleep
						<-asleep(t, trs[0], trs[2])
					}
					atomic.StoreUint64(word(tr, rank, 0), round)
					tr.Notify()
					for peer := range trs {
						there, err := tr.Await(ctx, peer, word(tr, peer, 0), round)
						if err != nil || !there {
							t.Errorf("rank %d awaits %d: %t, %v", rank, peer, there, err)
							cancel()
							return
						}
						if peer != rank && tr.Board(peer)[9000+peer] < byte(round) && byte(round) != 0 && tr.Board(peer)[9000+peer] != byte(round)+1 {
							t.Errorf("rank %d sees %d of %d on the board of %d", rank, tr.Board(peer)[9000+peer], byte(round), peer)
						}
					}
				}
			})
		}
		wg.Wait()
	}
}

// asleep is closed when all of trs sleep in Await.
func asleep(t *testing.T, trs ...*Transport) <-chan struct{} {
	done := make(chan struct{})
	deadline := time.Now().Add(20 * time.Second)
	go func() {
		defer close(done)
		for _, tr := range trs {
			for !tr.team.asleep.Load() {
				if time.Now().After(deadline) {
					t.Error("a rank that waits in vain does not sleep")
					return
				}
				runtime.Gosched()
			}
		}
	}()
	return done
}

func TestAwaitEnds(t *testing.T) {
	leak.Check(t)
	trs := assembled(t, Config{}, 3, 4096)
	var woken atomic.Bool
	await := func(ctx context.Context, peer int) <-chan error {
		errs := make(chan error, 1)
		go func() {
			var there bool
			var err error
			for again := true; again; again = !there && err == nil && !woken.Swap(false) { // it may return for no reason
				there, err = trs[0].Await(ctx, peer, word(trs[0], peer, 0), 1)
			}
			if there {
				err = errors.New("the word is there")
			}
			errs <- err
		}()
		<-asleep(t, trs[0])
		return errs
	}
	ctx, cancel := context.WithCancel(t.Context())
	errs := await(ctx, 1)
	cancel()
	if err := <-errs; err != context.Canceled {
		t.Errorf("a cancelled context: %v", err)
	}
	errs = await(t.Context(), 1)
	woken.Store(true)
	trs[0].Wake()
	if err := <-errs; err != nil {
		t.Errorf("Wake: %v", err)
	}
	errs = await(t.Context(), 1)
	trs[1].Close() // on purpose, while rank 0 waits for it
	if err := <-errs; !errors.Is(err, transport.ErrPeerClosed) {
		t.Errorf("the peer leaves: %v", err)
	}
	errs = await(t.Context(), 2)
	trs[2].Kill()
	var op *transport.OpError
	if err := <-errs; !errors.Is(err, transport.ErrPeerLost) || !errors.As(err, &op) || op.Peer != 2 {
		t.Errorf("the peer dies: %v", err)
	}
	trs[0].Close()
	if _, err := trs[0].Await(t.Context(), 1, word(trs[0], 1, 0), 1); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// TestCloseEndsAwait: Close from elsewhere, while the owner sleeps.
func TestCloseEndsAwait(t *testing.T) {
	leak.Check(t)
	trs := assembled(t, Config{}, 2, 4096)
	errs := make(chan error, 1)
	go func() {
		_, err := trs[0].Await(t.Context(), 1, word(trs[0], 1, 0), 1)
		errs <- err
	}()
	<-asleep(t, trs[0])
	trs[0].Close()
	if err := <-errs; !errors.Is(err, transport.ErrClosed) {
		t.Error(err)
	}
}

func TestAllocAndView(t *testing.T) {
	leak.Check(t)
	trs := assembled(t, Config{}, 2, 4096)
	r, err := trs[0].Alloc(10000)
	if err != nil {
		t.Fatal(err)
	}
	copy(r.Memory().Bytes()[5000:], "seen by both")
	a, ok := trs[0].Address(r, 5000)
	if !ok {
		t.Fatal("memory of Alloc has no address")
	}
	v, err := trs[1].View(0, a, 12)
	if err != nil || string(v.Bytes()) != "seen by both" {
		t.Fatalf("%q, %v", v.Bytes(), err)
	}
	copy(v.Bytes(), "SEEN")
	if s := string(r.Memory().Bytes()[5000:5004]); s != "SEEN" {
		t.Errorf("the owner sees %q", s)
	}
	for name, bad := range map[string]struct {
		peer int
		a    transport.Address
		n    int
	}{"no such segment": {0, transport.Address{Segment: 77}, 1}, "too far": {0, a, 1 << 20}, "overflow": {0, transport.Address{Segment: a.Segment, Offset: 1<<64 - 1}, 2}, "stranger": {9, a, 1}} {
		if _, err := trs[1].View(bad.peer, bad.a, bad.n); !errors.Is(err, transport.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	private, err := trs[0].Register(mem.Bytes(make([]byte, 10)))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := trs[0].Address(private, 0); ok {
		t.Error("private memory has an address")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	trs[1].team.listen()
	if _, err := trs[1].View(0, a, 12); !errors.Is(err, transport.ErrInvalid) {
		t.Errorf("a closed segment: %v", err)
	}
}

func TestFetch(t *testing.T) {
	leak.Check(t)
	trs := assembled(t, Config{}, 2, 4096)
	secret := []byte("private memory of this process")
	got := make([]byte, len(secret))
	err := trs[1].Fetch(got, 0, addressOf(secret))
	if errors.Is(err, transport.ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil || string(got) != string(secret) {
		t.Fatalf("%q, %v", got, err)
	}
}

// TestTooLittleMemory: a place without space is an error that says so, and not a
// fault later.
func TestTooLittleMemory(t *testing.T) {
	leak.Check(t)
	dir := smallTmpfs(t, 1<<20)
	_, err := newSegment(Config{Dir: dir}, 8<<20)
	if !errors.Is(err, transport.ErrNotSupported) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "free") {
		t.Fatal(err)
	}
	s, err := newSegment(Config{Dir: dir}, 256<<10)
	if err != nil {
		t.Fatal(err)
	}
	clear(s.bytes)
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// TestShrinkableSegmentIsRefused: a peer that could shrink what it passes could
// make this process fault.
func TestShrinkableSegmentIsRefused(t *testing.T) {
	leak.Check(t)
	for name, seals := range map[string]int{"not sealed": 0, "sealed": sealed} {
		fd := memoryFile(t, 8192, seals)
		s, err := openSegment(Config{}, fd, 8192)
		if (err == nil) != (seals != 0) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			s.close()
		}
	}
	if _, err := openSegment(Config{}, memoryFile(t, 4096, sealed), 8192); !errors.Is(err, transport.ErrProtocol) {
		t.Errorf("shorter than announced: %v", err)
	}
}

func TestOtherHostsAreRefused(t *testing.T) {
	leak.Check(t)
	tr := config(Config{}).Open(t, 1)[0]
	defer tr.Close()
	_, err := tr.Dial(t.Context(), "elsewhere|@ringo-x", transport.Peer{Rank: 1})
	if !errors.Is(err, transport.ErrNotSupported) || !strings.Contains(err.Error(), "elsewhere") {
		t.Error(err)
	}
}

func FuzzFrame(f *testing.F) {
	var b [frameSize]byte
	frame{kind: given, id: 3, size: 4096}.put(&b)
	f.Add(b[:])
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < frameSize {
			return
		}
		in := [frameSize]byte(b)
		if got, err := parseFrame(&in); err == nil {
			var out [frameSize]byte
			if got.put(&out); out != in {
				t.Fatalf("%x became %x", in, out)
			}
		}
	})
}
