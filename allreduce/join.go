package allreduce

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ringo-ccl/ringo/mem"
	"github.com/ringo-ccl/ringo/pipeline"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/rendezvous"
	"github.com/ringo-ccl/ringo/transport"
)

// Join meets the other ranks, connects to the neighbours and returns the group.
// All ranks must call it. It ends when all have joined, at ctx's end or after
// Config.JoinTimeout, whichever comes first; while it waits it logs who is
// missing. Ranks whose version or settings differ all get an error that names
// the setting and both values.
func Join(ctx context.Context, c Config) (*Group, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	if c.JoinTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.JoinTimeout, fmt.Errorf("%w after %v", ErrTimeout, c.JoinTimeout))
		defer cancel()
	}
	g, err := join(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("join as rank %d of %d: %w", c.Rank, c.Ranks, err)
	}
	return g, nil
}

// joining is a Group under construction: what must be undone if it fails.
type joining struct {
	c     Config
	id    transport.Identity
	store rendezvous.Store
	open  map[string]opened // by transport name
	names []string          // in order of preference
	me    member
}

type opened struct {
	tr       transport.Transport
	listener transport.Listener
}

func join(ctx context.Context, c Config) (g *Group, err error) {
	j := &joining{c: c, store: c.Store, open: map[string]opened{}}
	defer func() {
		if err != nil {
			j.undo()
		}
	}()
	if c.Store == nil {
		if j.store, j.c.storeEnd, err = rendezvous.Open(ctx, c.launch, c.Log); err != nil {
			return nil, err
		}
	}
	if err := j.identify(ctx); err != nil {
		return nil, err
	}
	if err := j.openTransports(ctx); err != nil {
		return nil, err
	}
	members, err := j.meet(ctx)
	if err != nil {
		return nil, err
	}
	l, share, err := j.lay(ctx, members)
	if err != nil {
		return nil, err
	}
	j.keepOnly(l.messages, l.memory)
	if l.memory != l.messages && l.memory != "" {
		j.open[l.memory].listener.Close()
	}
	g, err = newGroup(j, members, l, share)
	if err != nil {
		return nil, err
	}
	g.watch(ctx)
	if err := g.connect(ctx, j.open[l.messages].listener); err != nil {
		err = g.settle(g.explain(err)) // the others' Join ends with this cause
		g.release()
		return nil, err
	}
	return g, nil
}

// identify agrees on the job's number: the first rank to come chooses it.
func (j *joining) identify(ctx context.Context) error {
	var mine [8]byte
	rand.Read(mine[:])
	job, err := j.store.Put(ctx, j.c.Name+"/job", mine[:])
	if err != nil {
		return fmt.Errorf("rendezvous: %w", err)
	}
	if len(job) != len(mine) {
		return fmt.Errorf("rendezvous: key %s/job holds %d bytes; the store is in use by something else", j.c.Name, len(job))
	}
	j.id = transport.Identity{Job: binary.LittleEndian.Uint64(job), Token: j.c.Token, Rank: j.c.Rank, Ranks: j.c.Ranks,
		Log: j.c.Log, PeerTimeout: j.c.PeerTimeout}
	return nil
}

// openTransports opens and listens on every driver that works here.
func (j *joining) openTransports(ctx context.Context) error {
	j.me = thisMember(&j.c)
	var failures []error
	for _, d := range j.c.Drivers {
		o, err := openDriver(ctx, d, j.id)
		if errors.Is(err, transport.ErrNotSupported) {
			j.me.Gone = append(j.me.Gone, fmt.Sprintf("%s: %v", d.Name(), err))
			failures = append(failures, err)
			continue
		}
		if err != nil {
			return err
		}
		j.open[d.Name()] = o
		j.names = append(j.names, d.Name())
		j.me.Transports = j.names
		j.me.Addrs[d.Name()] = o.listener.Addr()
		if direct, ok := o.tr.(transport.Direct); ok {
			j.me.Places[d.Name()] = direct.Place(o.listener.Addr())
		}
	}
	if len(j.names) == 0 {
		return fmt.Errorf("no transport works here: %w", errors.Join(failures...))
	}
	return nil
}

func openDriver(ctx context.Context, d transport.Driver, id transport.Identity) (opened, error) {
	tr, err := d.Open(ctx, id)
	if err != nil {
		return opened{}, err
	}
	l, err := tr.Listen(ctx)
	if err != nil {
		tr.Close()
		return opened{}, err
	}
	return opened{tr, l}, nil
}

// lay picks transports and makes the teams that share memory. Without enough
// memory, messages take its place.
func (j *joining) lay(ctx context.Context, members []member) (layout, *pipeline.Share, error) {
	l, err := newLayout(members)
	if err != nil {
		return l, nil, err
	}
	share, why, err := j.assemble(ctx, l, members)
	if err != nil || why == "" {
		return l, share, err
	}
	j.c.Log.Warn("ranks cannot share memory; messages take its place", "transport", l.memory, "cause", why)
	l, err = l.withoutMemory(members, why)
	return l, nil, err
}

// meet exchanges member records and compares them.
func (j *joining) meet(ctx context.Context) ([]member, error) {
	record, err := json.Marshal(j.me)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	raw, err := rendezvous.Gather(ctx, j.store, rendezvous.GatherConfig{
		Prefix: j.c.Name + "/member/", Rank: j.c.Rank, Ranks: j.c.Ranks, Who: j.me.who(), Value: record,
		Progress: func(joined int, missing []int) {
			if len(missing) > 0 && j.c.Rank == 0 {
				j.c.Log.Info("waiting: "+rendezvous.MissingSentence(j.c.Ranks, missing), "for", time.Since(start).Round(time.Second))
			}
		},
	})
	if err != nil {
		return nil, err
	}
	members, err := decodeMembers(raw)
	if err != nil {
		return nil, err
	}
	return members, compare(members)
}

// keepOnly closes the transports that were not picked.
func (j *joining) keepOnly(names ...string) {
	for n, o := range j.open {
		if !slices.Contains(names, n) {
			o.listener.Close()
			o.tr.Close()
			if direct, ok := o.tr.(transport.Direct); ok {
				_ = direct.Disband() // of a team that is not used
			}
			delete(j.open, n)
		}
	}
}

func (j *joining) undo() {
	j.keepOnly()
	if j.c.storeEnd != nil {
		j.store.Close()
		j.c.storeEnd.Close()
	}
}

// newGroup assembles the group; its connections come next.
func newGroup(j *joining, members []member, l layout, share *pipeline.Share) (*Group, error) {
	g := &Group{c: j.c, store: j.store, members: members, tr: j.open[l.messages].tr, layout: l, share: share,
		pool: mem.NewPool(mem.PoolConfig{Limit: PoolLimit}), engine: reduce.NewCPU(2 * pipeline.MaxDepth),
		programs: map[programKey]*programs{}, picks: map[question]*pick{}, over: make(chan struct{}), born: time.Now()}
	if l.memory != "" && l.memory != l.messages {
		g.direct = j.open[l.memory].tr
	}
	g.quit, g.stop = context.WithCancel(context.Background())
	g.check = g.checkFingerprint
	if err := json.Unmarshal(members[0].Profile, &g.profile); err != nil {
		return nil, fmt.Errorf("rank 0's profile: %w", err)
	}
	if err := g.planConnections(); err != nil {
		return nil, err
	}
	var err error
	if g.barrier, err = g.pool.Get(1); err != nil || share == nil || g.direct != nil {
		return g, err
	}
	r, err := g.tr.Register(g.barrier.Memory())
	if err != nil {
		return g, err
	}
	_, g.sharesAll = share.Direct.Address(r, 0)
	return g, r.Close()
}
