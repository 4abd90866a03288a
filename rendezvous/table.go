package rendezvous

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// table is the map behind the memory store and the TCP server: keys that are
// written once and can be waited for.
type table struct {
	closed chan struct{} // closed by close

	mu      sync.Mutex
	entries map[string]*entry
	size    int // bytes of all keys and values that were put
}

// entry is a key that has a value, or that somebody waits for.
type entry struct {
	ready   chan struct{} // closed when value is set
	value   []byte
	put     bool
	waiting int // calls of get that wait; the entry goes with the last of them
}

func newTable() *table {
	return &table{closed: make(chan struct{}), entries: make(map[string]*entry)}
}

// put is Store.Put without a context: it never waits.
func (t *table) put(key string, value []byte) ([]byte, error) {
	if err := checkPut(key, value); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isClosed() {
		return nil, ErrClosed
	}
	e := t.entry(key)
	if !e.put {
		if t.size+len(key)+len(value) > MaxStored {
			t.forget(key, e)
			return nil, fmt.Errorf("%w: it holds %d of at most %d bytes", ErrTooLarge, t.size, MaxStored)
		}
		t.size += len(key) + len(value)
		e.value, e.put = clone(value), true
		close(e.ready)
	}
	return clone(e.value), nil
}

// get waits for key until ctx ends or the table or the caller's own end closes.
func (t *table) get(ctx context.Context, end <-chan struct{}, key string) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	t.mu.Lock()
	e := t.entry(key)
	e.waiting++
	t.mu.Unlock()
	defer t.leave(key, e)

	select { // what is there is answered whatever else has happened
	case <-e.ready:
		return clone(e.value), nil
	default:
	}
	select {
	case <-e.ready:
		return clone(e.value), nil
	case <-t.closed:
		select { // a key that came before the end is there
		case <-e.ready:
			return clone(e.value), nil
		default:
			return nil, ErrClosed
		}
	case <-end:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, fmt.Errorf("rendezvous: waiting for %q: %w", key, ctx.Err())
	}
}

// list is Store.List.
func (t *table) list(prefix string) ([]string, error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isClosed() {
		return nil, ErrClosed
	}
	keys := []string{}
	for key, e := range t.entries {
		if e.put && strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// close lets every get go with ErrClosed.
func (t *table) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.isClosed() {
		close(t.closed)
	}
}

func (t *table) isClosed() bool {
	select {
	case <-t.closed:
		return true
	default:
		return false
	}
}

// entry finds or makes the entry of key. The caller holds mu.
func (t *table) entry(key string) *entry {
	e := t.entries[key]
	if e == nil {
		e = &entry{ready: make(chan struct{})}
		t.entries[key] = e
	}
	return e
}

// leave ends one get's waiting for e.
func (t *table) leave(key string, e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.waiting--
	t.forget(key, e)
}

// forget drops e if nobody put it and nobody waits for it. The caller holds mu.
func (t *table) forget(key string, e *entry) {
	if !e.put && e.waiting == 0 {
		delete(t.entries, key)
	}
}

// clone copies b and never returns nil, so that an empty value is a value.
func clone(b []byte) []byte {
	return append([]byte{}, b...)
}
