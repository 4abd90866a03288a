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
	"github.com/ringo-ccl/ringo/schedule"
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
	name, why, err := pickTransport(members)
	if err != nil {
		return nil, err
	}
	j.keepOnly(name)
	g, err = newGroup(j, members, name, why)
	if err != nil {
		return nil, err
	}
	g.watch(ctx)
	if err := g.connect(ctx, j.open[name].listener); err != nil {
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
func (j *joining) keepOnly(name string) {
	for n, o := range j.open {
		if n != name {
			o.listener.Close()
			o.tr.Close()
			delete(j.open, n)
		}
	}
}

func (j *joining) undo() {
	j.keepOnly("")
	if j.c.storeEnd != nil {
		j.store.Close()
		j.c.storeEnd.Close()
	}
}

// newGroup assembles the group; its connections come next.
func newGroup(j *joining, members []member, name, why string) (*Group, error) {
	g := &Group{c: j.c, store: j.store, members: members, tr: j.open[name].tr, transport: name, why: why,
		pool: mem.NewPool(mem.PoolConfig{Limit: PoolLimit}), engine: reduce.NewCPU(2 * pipeline.MaxDepth),
		programs: map[programKey]*pipeline.Program{}, over: make(chan struct{}), born: time.Now()}
	g.quit, g.stop = context.WithCancel(context.Background())
	g.check = g.checkFingerprint
	var err error
	for _, key := range []programKey{{collective: schedule.AllReduce}, {collective: schedule.AllReduce, ordered: true}} {
		p, err := g.program(key)
		if err != nil {
			return nil, err
		}
		g.destinations = union(g.destinations, p.Destinations())
		g.sources = union(g.sources, p.Sources())
	}
	g.barrier, err = g.pool.Get(1)
	return g, err
}

// union appends to a what it lacks of b.
func union(a, b []int) []int {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}
