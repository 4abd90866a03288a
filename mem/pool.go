package mem

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"sync"
)

const (
	// MaxSlot is the largest slot that a Pool hands out, in bytes. It is also
	// the size of a slab.
	MaxSlot = 4 << 20
	// DefaultPoolLimit is the limit of a Pool that was given none, in bytes.
	DefaultPoolLimit = 64 << 20
)

// ErrPoolExhausted says that a slot would take a Pool beyond its limit. The
// error around it names the limit, the use and the remedy.
var ErrPoolExhausted = errors.New("pool exhausted")

// Pinning says what a Pool does about the residence of its pages.
type Pinning uint8

const (
	// PinIfAllowed pins what the system allows and carries on unpinned
	// otherwise; Stats says how much and why not.
	PinIfAllowed Pinning = iota
	// PinAlways makes Get fail where pages cannot be pinned.
	PinAlways
	// PinNever leaves pages to the system.
	PinNever
)

// PoolConfig says how much memory a Pool may take. The zero value works.
type PoolConfig struct {
	// Limit is the most memory that the pool ever maps, in bytes. Default: 64 MiB.
	Limit int
	// Pin says whether slots are pinned. Default: where the system allows it.
	Pin Pinning
}

// Pool hands out page-aligned slots outside the Go heap. Slots are powers of
// two, from one page to MaxSlot, carved out of slabs that stay mapped until
// Close. Get and Release allocate nothing except when Get maps a new slab.
//
// Any goroutine may use a Pool: a mutex guards it, so take slots when an
// operation is set up, not per message.
type Pool struct {
	config PoolConfig
	unit   int // bytes in the smallest slot: a page

	mu     sync.Mutex
	slabs  []*slab
	stats  Stats
	closed bool
}

// NewPool returns an empty pool. It maps nothing until the first Get.
func NewPool(c PoolConfig) *Pool {
	if c.Limit <= 0 {
		c.Limit = DefaultPoolLimit
	}
	return &Pool{config: c, unit: os.Getpagesize(), stats: Stats{Limit: c.Limit}}
}

// Get returns a slot of n bytes, which may be 0 and at most MaxSlot. The caller
// releases it.
func (p *Pool) Get(n int) (*Slot, error) {
	if n < 0 || n > MaxSlot {
		return nil, fmt.Errorf("mem: slot of %d bytes: a slot has 0 to %d; use Alloc for more", n, MaxSlot)
	}
	order := p.order(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errors.New("mem: get slot: the pool is closed")
	}
	for _, s := range p.slabs {
		if slot := s.take(n, order); slot != nil {
			p.stats.took(p.unit << order)
			return slot, nil
		}
	}
	s, err := p.grow(n, order)
	if err != nil {
		return nil, err
	}
	slot := s.take(n, order)
	p.stats.took(p.unit << order)
	return slot, nil
}

// order is the log2 of the units that a slot of n bytes takes.
func (p *Pool) order(n int) int {
	return bits.Len(uint((max(n, 1) - 1) / p.unit))
}

// grow maps one more slab, in which a slot of unit<<order bytes fits.
func (p *Pool) grow(n, order int) (*slab, error) {
	left := p.config.Limit - p.stats.Mapped
	if left < p.unit<<order {
		return nil, fmt.Errorf("mem: no free slot of %v: %w: %v of %v are in use by %d slots; "+
			"release slots sooner or raise PoolConfig.Limit",
			size(n), ErrPoolExhausted, size(p.stats.InUse), size(p.config.Limit), p.stats.Slots)
	}
	bytes := min(MaxSlot, 1<<(bits.Len(uint(left))-1))
	s, err := newSlab(p, bytes, p.unit)
	if err != nil {
		return nil, err
	}
	if err := p.pin(s.block); err != nil {
		return nil, errors.Join(err, s.block.Close())
	}
	s.memory = s.block.Memory()
	p.slabs = append(p.slabs, s)
	p.stats.Mapped += bytes
	return s, nil
}

// pin pins b as the configuration says; its error is the pool's refusal.
func (p *Pool) pin(b *Block) error {
	if p.config.Pin == PinNever {
		return nil
	}
	if err := b.Pin(); err != nil {
		p.stats.PinError = err
		if p.config.Pin == PinAlways {
			return err
		}
		return nil
	}
	p.stats.Pinned += b.Memory().Len()
	return nil
}

// put takes slot back.
func (p *Pool) put(slot *Slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	slot.mustBeOut("released twice")
	slot.slab.put(slot)
	p.stats.gave(p.unit << slot.order)
}

// Stats says how the pool stands.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// Close unmaps all slabs. It fails, and changes nothing, while slots are out;
// registrations of slabs must have ended before.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errors.New("mem: close pool: already closed")
	}
	if p.stats.Slots > 0 {
		return fmt.Errorf("mem: close pool: %d slots of together %v are still out; release them first",
			p.stats.Slots, size(p.stats.InUse))
	}
	var err error
	for _, s := range p.slabs {
		err = errors.Join(err, s.block.Close())
	}
	p.slabs, p.closed = nil, true
	p.stats.Mapped, p.stats.Pinned = 0, 0
	return err
}
