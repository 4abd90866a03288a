package rendezvous

import (
	"context"
	"fmt"
	"sync"
)

// Memory is a store within one process. It is a Store that all ranks may share;
// where they need ends of their own, with wills, each takes a Client.
type Memory struct {
	table *table
}

// NewMemory makes an empty store.
func NewMemory() *Memory {
	return &Memory{table: newTable()}
}

// Put is Store.Put.
func (m *Memory) Put(ctx context.Context, key string, value []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("rendezvous: put %q: %w", key, err)
	}
	return m.table.put(key, value)
}

// Get is Store.Get.
func (m *Memory) Get(ctx context.Context, key string) ([]byte, error) {
	if m.table.isClosed() {
		return nil, ErrClosed
	}
	return m.table.get(ctx, nil, key)
}

// List is Store.List.
func (m *Memory) List(ctx context.Context, prefix string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("rendezvous: list %q: %w", prefix, err)
	}
	return m.table.list(prefix)
}

// Will answers ErrNoWill: a store that all ranks share does not know which of
// them ended. A Client's Will works.
func (m *Memory) Will(context.Context, string, []byte) error {
	return fmt.Errorf("%w: take a Client of the Memory", ErrNoWill)
}

// Close closes the store and all its clients.
func (m *Memory) Close() error {
	m.table.close()
	return nil
}

// Client makes one rank's own end of the store.
func (m *Memory) Client() *MemoryClient {
	return &MemoryClient{memory: m, closed: make(chan struct{})}
}

// MemoryClient is one rank's end of a Memory.
type MemoryClient struct {
	memory *Memory

	mu     sync.Mutex
	closed chan struct{}
	will   func() // does the last Put; nil without a will
}

// Put is Store.Put.
func (c *MemoryClient) Put(ctx context.Context, key string, value []byte) ([]byte, error) {
	if c.isClosed() {
		return nil, ErrClosed
	}
	return c.memory.Put(ctx, key, value)
}

// Get is Store.Get.
func (c *MemoryClient) Get(ctx context.Context, key string) ([]byte, error) {
	if c.isClosed() || c.memory.table.isClosed() {
		return nil, ErrClosed
	}
	return c.memory.table.get(ctx, c.closed, key)
}

// List is Store.List.
func (c *MemoryClient) List(ctx context.Context, prefix string) ([]string, error) {
	if c.isClosed() {
		return nil, ErrClosed
	}
	return c.memory.List(ctx, prefix)
}

// Will is Store.Will. Drop executes it.
func (c *MemoryClient) Will(_ context.Context, key string, value []byte) error {
	if err := checkPut(key, value); err != nil {
		return err
	}
	if c.isClosed() {
		return ErrClosed
	}
	last := clone(value)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.will = func() { c.memory.table.put(key, last) } // first Put wins, and a full or closed store has no heirs
	return nil
}

// Close is Store.Close.
func (c *MemoryClient) Close() error {
	c.end()
	return nil
}

// Drop ends the client as a rank that died would: its will is executed.
func (c *MemoryClient) Drop() {
	if will := c.end(); will != nil {
		will()
	}
}

// end closes the client and takes its will, if it is open.
func (c *MemoryClient) end() (will func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isClosed() {
		close(c.closed)
	}
	will, c.will = c.will, nil
	return will
}

func (c *MemoryClient) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}
