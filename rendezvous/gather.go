package rendezvous

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// GatherConfig says what a rank brings to Gather.
type GatherConfig struct {
	// Prefix begins the keys of this gathering: rank r is Prefix + "r" in
	// decimal. Each gathering in a store needs its own.
	Prefix string
	// Rank is this rank, from 0 to Ranks-1.
	Rank, Ranks int
	// Who names this process to people, as in "host-3 pid 4711". At most 200
	// bytes of it are used.
	Who string
	// Value is what this rank publishes, at most MaxValue less 300 bytes.
	Value []byte
	// Every is the time between two calls of Progress. Zero means 2 s.
	Every time.Duration
	// Progress, if not nil, is told who has joined: while Gather waits, and once
	// at its end. Gather calls it from the caller's goroutine.
	Progress func(joined int, missing []int)
}

// Gather publishes this rank's value and returns those of all ranks, by rank,
// once all have published theirs.
//
// When ctx ends before, it returns a *MissingError. A rank number that two
// processes use gives all who still wait a *DuplicateRankError. A rank that
// knows another world size is an error that names both.
func Gather(ctx context.Context, s Store, config GatherConfig) ([][]byte, error) {
	g := gathering{GatherConfig: config, store: s}
	if g.Every == 0 {
		g.Every = 2 * time.Second
	}
	if g.Ranks < 1 || g.Rank < 0 || g.Rank >= g.Ranks {
		return nil, fmt.Errorf("rendezvous: gather: rank %d of %d makes no sense", g.Rank, g.Ranks)
	}
	if err := g.publish(ctx); err != nil {
		return nil, err
	}
	g.next = time.Now().Add(g.Every)
	values := make([][]byte, g.Ranks)
	for rank := range values {
		m, err := g.await(ctx, rank)
		if err != nil {
			return nil, err
		}
		values[rank] = m.value
		g.absentees = slices.DeleteFunc(g.absentees, func(r int) bool { return r == rank })
	}
	g.report(nil)
	return values, nil
}

// gathering is one call of Gather.
type gathering struct {
	GatherConfig
	store Store
	next  time.Time // of the next look at who is missing

	looked    bool  // absentees is known
	absentees []int // who was missing at the last look and has not come since
}

// duplicateKey is where, after the prefix, a process complains that its rank is
// taken, so that the others need not wait for a rank that will never come.
const duplicateKey = "duplicate"

func (g *gathering) key(rank int) string { return g.Prefix + strconv.Itoa(rank) }

// publish puts this rank's value, and complains if another process did before.
func (g *gathering) publish(ctx context.Context) error {
	mine := newMember(g.Ranks, g.Who, g.Value)
	stored, err := g.store.Put(ctx, g.key(g.Rank), mine.encode())
	if err != nil {
		return fmt.Errorf("rendezvous: gather: rank %d cannot publish: %w", g.Rank, err)
	}
	first, err := g.decode(g.Rank, stored)
	if err != nil || first.nonce == mine.nonce {
		return err
	}
	duplicate := &DuplicateRankError{Rank: g.Rank, First: first.who, Second: mine.who}
	text, _ := json.Marshal(duplicate)
	g.store.Put(ctx, g.Prefix+duplicateKey, text) // the error itself matters more
	return g.where(duplicate)
}

// await waits for rank, with a look at who is missing now and then.
func (g *gathering) await(ctx context.Context, rank int) (member, error) {
	for {
		tick, cancel := context.WithDeadline(ctx, g.next)
		text, err := g.store.Get(tick, g.key(rank))
		cancel()
		switch {
		case err == nil:
			return g.decode(rank, text)
		case ctx.Err() != nil:
			return member{}, g.missing(ctx)
		case !errors.Is(err, context.DeadlineExceeded):
			return member{}, g.cut(fmt.Errorf("rendezvous: gather: waiting for rank %d: %w", rank, err))
		}
		if err := g.look(ctx); err != nil {
			return member{}, err
		}
	}
}

// decode reads what rank published.
func (g *gathering) decode(rank int, text []byte) (member, error) {
	m, err := decodeMember(text)
	if err != nil {
		return m, fmt.Errorf("rendezvous: gather: key %q: %w", g.key(rank), err)
	}
	if m.ranks != g.Ranks {
		return m, fmt.Errorf("rendezvous: gather: rank %d (%s) counts %d ranks, rank %d (%s) counts %d",
			rank, m.who, m.ranks, g.Rank, g.Who, g.Ranks)
	}
	return m, nil
}

// look reports who is missing, and returns the complaint of a process whose
// rank is taken, if there is one.
func (g *gathering) look(ctx context.Context) error {
	g.next = time.Now().Add(g.Every)
	keys, err := g.store.List(ctx, g.Prefix)
	if ctx.Err() != nil {
		return nil // await finds out
	}
	if err != nil {
		return g.cut(fmt.Errorf("rendezvous: gather: %w", err))
	}
	missing, complaint := g.absent(keys)
	g.report(missing)
	g.looked, g.absentees = true, slices.Clone(missing)
	if !complaint {
		return nil
	}
	text, err := g.store.Get(ctx, g.Prefix+duplicateKey)
	if err != nil {
		return fmt.Errorf("rendezvous: gather: %w", err)
	}
	duplicate := new(DuplicateRankError)
	if err := json.Unmarshal(text, duplicate); err != nil {
		return fmt.Errorf("rendezvous: gather: key %q: %w", g.Prefix+duplicateKey, err)
	}
	return g.where(duplicate)
}

// where names the directory of a file store in err: it may be an earlier run's.
func (g *gathering) where(err error) error {
	if f, ok := g.store.(*File); ok {
		return fmt.Errorf("rendezvous: file store %s: %w", f.dir, err)
	}
	return err
}

// cut adds to the error of a store that ended who was still missing when it was
// last there. Its server may have given up for their sake.
func (g *gathering) cut(err error) error {
	if !g.looked {
		return err
	}
	return fmt.Errorf("%s; %w", MissingSentence(g.Ranks, g.absentees), err)
}

// absent reads from the store's keys who is missing and whether anyone
// complained.
func (g *gathering) absent(keys []string) (missing []int, complaint bool) {
	here := make(map[string]bool, len(keys))
	for _, key := range keys {
		here[strings.TrimPrefix(key, g.Prefix)] = true
	}
	for rank := range g.Ranks {
		if !here[strconv.Itoa(rank)] {
			missing = append(missing, rank)
		}
	}
	return missing, here[duplicateKey]
}

// missing is the error of a gathering whose ctx ended.
func (g *gathering) missing(ctx context.Context) error {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	keys, err := g.store.List(last, g.Prefix)
	if err != nil {
		return g.cut(fmt.Errorf("rendezvous: gather: %w, and no word from the store on who is missing: %w", because(ctx), err))
	}
	missing, _ := g.absent(keys)
	g.report(missing)
	return &MissingError{Ranks: g.Ranks, Missing: missing, Err: because(ctx)}
}

func (g *gathering) report(missing []int) {
	if g.Progress != nil {
		g.Progress(g.Ranks-len(missing), missing)
	}
}
