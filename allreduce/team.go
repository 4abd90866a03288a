package allreduce

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ringo-ccl/ringo/pipeline"
	"github.com/ringo-ccl/ringo/rendezvous"
	"github.com/ringo-ccl/ringo/transport"
)

// layout is what the members' records say about who reaches whom, and how. All
// ranks read the same records, so all come to the same layout.
type layout struct {
	messages string  // the transport of messages
	memory   string  // the transport over which ranks share memory; empty: none do
	hosts    [][]int // the ranks that share memory, or stand alone: ascending, by first rank
	why      string
}

// newLayout picks transports: one on which ranks share memory, if there is one,
// and one that joins all ranks.
func newLayout(ms []member) (layout, error) {
	var l layout
	var reasons []string
	for _, name := range ms[0].Transports {
		switch hosts, missing := places(ms, name); {
		case missing >= 0:
			reasons = append(reasons, fmt.Sprintf("%s: not on rank %d %v", name, missing, ms[missing].Gone))
		case hosts == nil:
			if l.messages == "" {
				l.messages = name
			}
		case len(hosts) == 1 && l.memory == "":
			l.memory, l.hosts = name, hosts
			if l.messages == "" {
				l.messages = name
			}
		case len(hosts) < len(ms) && l.memory == "":
			l.memory, l.hosts = name, hosts
		case len(ms) > 1:
			reasons = append(reasons, fmt.Sprintf("%s: every rank is on a host of its own", name))
		case l.messages == "":
			l.messages = name
		}
	}
	if l.messages == "" {
		if l.memory != "" {
			reasons = append(reasons, fmt.Sprintf("%s: ranks are on %d hosts", l.memory, len(l.hosts)))
		}
		return l, fmt.Errorf("%w: no transport that joins all ranks (%s)", ErrConfigMismatch, strings.Join(reasons, "; "))
	}
	if l.hosts == nil {
		for rank := range ms {
			l.hosts = append(l.hosts, []int{rank})
		}
	}
	l.why = strings.Join(append(reasons, l.reason(len(ms))), "; ")
	return l, nil
}

// name is what people call the transports in use.
func (l *layout) name() string {
	if l.memory == "" || l.memory == l.messages {
		return l.messages
	}
	return l.memory + "+" + l.messages
}

func (l *layout) reason(ranks int) string {
	switch {
	case l.memory == "":
		return "best that all ranks offer"
	case len(l.hosts) == 1:
		return fmt.Sprintf("all %d ranks are on one host", ranks)
	}
	var sizes []string
	for _, h := range l.hosts {
		sizes = append(sizes, fmt.Sprint(len(h)))
	}
	return fmt.Sprintf("ranks are on %d hosts (%s): %s within a host, %s between", len(l.hosts), strings.Join(sizes, "+"), l.memory, l.messages)
}

// places groups the ranks by where they can share memory over a transport, nil
// when it shares none. missing is a rank that does not offer it, or -1.
func places(ms []member, name string) (hosts [][]int, missing int) {
	at := map[string]int{}
	for rank := range ms {
		if ms[rank].Addrs[name] == "" {
			return nil, rank
		}
		place := ms[rank].Places[name]
		if place == "" {
			continue
		}
		i, ok := at[place]
		if !ok {
			i = len(hosts)
			at[place] = i
			hosts = append(hosts, nil)
		}
		hosts[i] = append(hosts[i], rank)
	}
	return hosts, -1
}

// host is the ranks that share memory with rank, itself included.
func (l *layout) host(rank int) []int {
	for _, h := range l.hosts {
		if slices.Contains(h, rank) {
			return h
		}
	}
	return []int{rank}
}

// withoutMemory is the layout that remains when memory cannot be shared after
// all.
func (l *layout) withoutMemory(ms []member, why string) (layout, error) {
	rest := slices.Clone(ms)
	for rank := range rest {
		rest[rank].Transports = slices.DeleteFunc(slices.Clone(rest[rank].Transports), func(n string) bool { return n == l.memory })
		rest[rank].Gone = append(slices.Clone(rest[rank].Gone), l.memory+": "+why)
	}
	next, err := newLayout(rest)
	next.why = fmt.Sprintf("%s: %s; %s", l.memory, why, next.why)
	return next, err
}

// assembly is what a rank says about its part in a team.
type assembly struct {
	ok    bool
	fetch bool
	why   string
}

func (a assembly) encode() []byte { return fmt.Appendf(nil, "%t %t %s", a.ok, a.fetch, a.why) }

func decodeAssembly(b []byte) (a assembly, err error) {
	f := strings.SplitN(string(b), " ", 3)
	if len(f) != 3 {
		return a, fmt.Errorf("%q says nothing about a team", b)
	}
	return assembly{f[0] == "true", f[1] == "true", f[2]}, nil
}

// assemble makes the teams of all hosts. When any of them fails, for lack of
// memory or of permission, none is used: every rank learns of it and why.
func (j *joining) assemble(ctx context.Context, l layout, ms []member) (share *pipeline.Share, why string, err error) {
	if l.memory == "" {
		return nil, "", nil
	}
	var probe pipeline.Probe
	mine := assembly{ok: true, why: "-"}
	ranks := l.host(j.c.Rank)
	if len(ranks) > 1 || len(l.hosts) == 1 {
		direct := j.open[l.memory].tr.(transport.Direct)
		share = &pipeline.Share{Direct: direct, Ranks: ranks, Rank: j.c.Rank}
		team := map[int]string{}
		for _, rank := range ranks {
			team[rank] = ms[rank].Addrs[l.memory]
		}
		err := j.withCause(ctx, ms, func(ctx context.Context) error {
			return direct.Assemble(ctx, team, j.c.pipeline(len(ranks)).BoardSize())
		})
		if errors.Is(err, transport.ErrNotSupported) {
			mine = assembly{why: err.Error()}
		} else if err != nil {
			return nil, "", fmt.Errorf("share memory with ranks %v: %w", ranks, err)
		} else {
			mine.fetch = canFetch(ctx, share, &probe)
		}
	} else {
		mine.fetch = true
	}
	all, err := j.gatherAssemblies(ctx, mine)
	runtime.KeepAlive(&probe) // others may have read it until here
	if err != nil {
		return nil, "", err
	}
	fetch := true
	for rank, a := range all {
		if !a.ok {
			return nil, fmt.Sprintf("rank %d: %s", rank, a.why), nil
		}
		fetch = fetch && a.fetch
	}
	if share != nil {
		share.Fetch = fetch
	}
	return share, "", nil
}

// withCause runs a step of Join that waits for other ranks. If it fails on one,
// for a reason other than that something is not supported there, all learn why and
// end theirs.
func (j *joining) withCause(ctx context.Context, ms []member, step func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if b, err := j.store.Get(ctx, j.c.Name+abortKey); err == nil {
			cancel(decodeCause(b))
		}
	}()
	err := step(ctx)
	var known *RankError
	if errors.As(context.Cause(ctx), &known) {
		err = known
	}
	cancel(nil)
	<-watched
	if err == nil || known != nil || errors.Is(err, transport.ErrNotSupported) {
		return err
	}
	settleCtx, stop := context.WithTimeout(context.Background(), settleTime)
	defer stop()
	mine := &RankError{Rank: j.c.Rank, Host: ms[j.c.Rank].who(), Err: fmt.Errorf("%w: %w", ErrAborted, err)}
	if first, putErr := j.store.Put(settleCtx, j.c.Name+abortKey, encodeCause(mine)); putErr == nil {
		return decodeCause(first)
	}
	return err
}

func (j *joining) gatherAssemblies(ctx context.Context, mine assembly) ([]assembly, error) {
	start := time.Now()
	raw, err := rendezvous.Gather(ctx, j.store, rendezvous.GatherConfig{
		Prefix: j.c.Name + "/team/", Rank: j.c.Rank, Ranks: j.c.Ranks, Who: j.me.who(), Value: mine.encode(),
		Progress: func(joined int, missing []int) {
			if len(missing) > 0 && j.c.Rank == 0 {
				j.c.Log.Info("sharing memory: "+rendezvous.MissingSentence(j.c.Ranks, missing), "for", time.Since(start).Round(time.Second))
			}
		},
	})
	if err != nil {
		return nil, err
	}
	all := make([]assembly, len(raw))
	for rank, b := range raw {
		if all[rank], err = decodeAssembly(b); err != nil {
			return nil, fmt.Errorf("rank %d: %w", rank, err)
		}
	}
	return all, nil
}

// probeTime bounds how long a rank tries to read the others' memory.
const probeTime = 5 * time.Second

func canFetch(ctx context.Context, s *pipeline.Share, p *pipeline.Probe) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return p.ProbeFetch(ctx, s) == nil
}
