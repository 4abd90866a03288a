package rendezvous

import (
	"context"
	"errors"
	"fmt"
)

// Store is where ranks leave what the others need in order to find them. Keys
// are written once: the first Put wins. All methods may be called from many
// goroutines at once.
//
// Keys are 1 to MaxKey arbitrary bytes, values 0 to MaxValue bytes; what is
// larger answers ErrTooLarge. A call whose context ends returns an error that
// wraps the context's.
type Store interface {
	// Put stores value under key unless the key exists, and returns what the
	// key holds now.
	Put(ctx context.Context, key string, value []byte) (stored []byte, err error)
	// Get waits for key and returns its value.
	Get(ctx context.Context, key string) ([]byte, error)
	// List returns the keys that begin with prefix, sorted. It does not wait.
	List(ctx context.Context, prefix string) ([]string, error)
	// Will leaves a last will: if this client ends without Close, the store
	// does Put(key, value) in its name. A later Will replaces an earlier one.
	// Stores that cannot know when a client ends answer ErrNoWill.
	Will(ctx context.Context, key string, value []byte) error
	// Close ends this client and discards its will. Calls that wait, and calls
	// that follow, get ErrClosed. A second Close does nothing.
	Close() error
}

// What every store allows.
const (
	// MaxKey is the longest key, in bytes.
	MaxKey = 256
	// MaxValue is the largest value, in bytes (1 MiB).
	MaxValue = 1 << 20
	// MaxStored is what a memory or TCP store holds in all its keys and values
	// together, in bytes (64 MiB).
	MaxStored = 64 << 20
)

// The errors of stores. Test with errors.Is; the error around them says where
// and why.
var (
	// ErrClosed says that the store was closed on purpose, here or by its
	// server.
	ErrClosed = errors.New("rendezvous store closed")
	// ErrLost says that the store is gone without goodbye.
	ErrLost = errors.New("rendezvous store lost")
	// ErrNoWill says that this kind of store cannot know when a client ends.
	ErrNoWill = errors.New("this rendezvous store keeps no last wills")
	// ErrTooLarge says that a key, a value or the whole store would exceed its
	// limit.
	ErrTooLarge = errors.New("too large for the rendezvous store")
)

// checkKey says whether key can be one.
func checkKey(key string) error {
	switch {
	case key == "":
		return errors.New("rendezvous: the empty key is none")
	case len(key) > MaxKey:
		return fmt.Errorf("%w: key of %d bytes, at most %d", ErrTooLarge, len(key), MaxKey)
	}
	return nil
}

// checkPut says whether key and value can be stored.
func checkPut(key string, value []byte) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if len(value) > MaxValue {
		return fmt.Errorf("%w: value of %d bytes for %q, at most %d", ErrTooLarge, len(value), key, MaxValue)
	}
	return nil
}

// checkPrefix says whether prefix can begin a key. The empty one can.
func checkPrefix(prefix string) error {
	if len(prefix) > MaxKey {
		return fmt.Errorf("%w: prefix of %d bytes, at most %d", ErrTooLarge, len(prefix), MaxKey)
	}
	return nil
}
