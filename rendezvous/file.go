package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A waiting Get looks again after 1 ms, then less and less often. One that has
// waited for longWait most likely waits for an abort that never comes, and costs
// a shared file system next to nothing.
const (
	firstPoll = time.Millisecond
	lastPoll  = 50 * time.Millisecond
	longWait  = 10 * time.Second
	idlePoll  = time.Second
)

// nextPoll is the pause of a Get after one of pause, when it has waited so long.
func nextPoll(pause, waited time.Duration) time.Duration {
	if waited > longWait {
		return min(2*pause, idlePoll)
	}
	return min(2*pause, lastPoll)
}

// keyDir is the directory below the user's in which a File keeps its keys, so
// that RemoveAll can remove it without touching anything of the user's.
const keyDir = "ringo-keys"

// File is a store in a directory that all ranks share.
type File struct {
	dir    string // the user's directory
	keys   string // dir/keyDir
	link   func(old, new string) error
	closed chan struct{}
	once   sync.Once
}

// OpenFile opens the store in dir, and makes dir (for its owner only) where it
// is missing. The directory must belong to this user: whoever writes to it
// speaks for a rank. Each run of a job needs a directory of its own, because
// keys of an earlier run are still there.
//
// A key appears with its whole value or not at all. A Get that waits looks
// every 1 to 50 ms, and after 10 s of waiting every second: so much later may an
// idle group hear of a rank that aborted. On network file systems that cache directories (NFS: up to
// a minute) a Get may see a key as late as that; a TCP store is faster there.
func OpenFile(dir string) (*File, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("rendezvous: file store: %w", err)
	}
	f := &File{dir: dir, keys: filepath.Join(dir, keyDir), link: os.Link, closed: make(chan struct{})}
	if err := os.MkdirAll(f.keys, 0o700); err != nil {
		return nil, f.fail("make directory", err)
	}
	for _, d := range []string{f.dir, f.keys} {
		if err := checkOwner(d); err != nil {
			return nil, f.fail("open", err)
		}
	}
	return f, nil
}

// Put is Store.Put. A disk without room answers an error that says so.
func (f *File) Put(ctx context.Context, key string, value []byte) ([]byte, error) {
	if err := f.check(ctx, checkPut(key, value)); err != nil {
		return nil, err
	}
	temp, err := f.write(value)
	if err != nil {
		return nil, f.fail(fmt.Sprintf("put %q (%d bytes)", key, len(value)), err)
	}
	defer os.Remove(temp)
	path := f.path(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, f.fail(fmt.Sprintf("put %q", key), err)
	}
	won, err := f.publish(temp, path)
	if err != nil {
		return nil, f.fail(fmt.Sprintf("put %q", key), err)
	}
	if won {
		return clone(value), nil
	}
	return f.Get(ctx, key)
}

// Get is Store.Get. It answers ErrLost when the directory is gone.
func (f *File) Get(ctx context.Context, key string) ([]byte, error) {
	if err := f.check(ctx, checkKey(key)); err != nil {
		return nil, err
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	start := time.Now()
	for pause := firstPoll; ; pause = nextPoll(pause, time.Since(start)) {
		select {
		case <-timer.C:
		case <-f.closed:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, fmt.Errorf("rendezvous: waiting for %q in %s: %w", key, f.dir, ctx.Err())
		}
		if value, there, err := f.read(key); there || err != nil {
			return value, err
		}
		timer.Reset(pause)
	}
}

// read reads the value of key, if it is there.
func (f *File) read(key string) (value []byte, there bool, err error) {
	file, err := os.Open(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		if _, gone := os.Stat(f.keys); gone != nil {
			return nil, false, f.lost(gone)
		}
		return nil, false, nil
	}
	if err != nil {
		return nil, false, f.fail(fmt.Sprintf("get %q", key), err)
	}
	defer file.Close()
	value, err = io.ReadAll(io.LimitReader(file, MaxValue+1))
	if err != nil {
		return nil, false, f.fail(fmt.Sprintf("get %q", key), err)
	}
	if len(value) > MaxValue {
		return nil, false, fmt.Errorf("%w: %s has more than %d bytes", ErrTooLarge, file.Name(), MaxValue)
	}
	return value, true, nil
}

// List is Store.List.
func (f *File) List(ctx context.Context, prefix string) ([]string, error) {
	if err := f.check(ctx, checkPrefix(prefix)); err != nil {
		return nil, err
	}
	if _, err := os.Stat(f.keys); err != nil {
		return nil, f.lost(err)
	}
	keys := []string{}
	err := filepath.WalkDir(f.keys, func(path string, d fs.DirEntry, err error) error {
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // temporary files come and go
			return err
		}
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(f.keys, path)
			if key, ok := fileKey(filepath.ToSlash(rel)); ok && strings.HasPrefix(key, prefix) {
				keys = append(keys, key)
			}
		}
		return nil
	})
	if err != nil {
		return nil, f.fail(fmt.Sprintf("list %q", prefix), err)
	}
	slices.Sort(keys)
	return keys, nil
}

// Will answers ErrNoWill: a directory does not know who died.
func (f *File) Will(context.Context, string, []byte) error {
	return fmt.Errorf("%w: %s is a directory, which does not notice a rank's end", ErrNoWill, f.dir)
}

// Close is Store.Close. It leaves the keys where they are.
func (f *File) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

// RemoveAll removes all keys of the store, and its directory if nothing else is
// in it. It is for the one rank that ends the job: others that still wait get
// ErrLost.
func (f *File) RemoveAll() error {
	if err := os.RemoveAll(f.keys); err != nil {
		return f.fail("remove", err)
	}
	os.Remove(f.dir) // refuses, as it should, while there is anything else
	return nil
}

// path is the file of key.
func (f *File) path(key string) string {
	return filepath.Join(f.keys, filepath.FromSlash(fileName(key)))
}

// check answers what keeps a call from starting: its arguments, the store, ctx.
func (f *File) check(ctx context.Context, arguments error) error {
	if arguments != nil {
		return arguments
	}
	select {
	case <-f.closed:
		return ErrClosed
	default:
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("rendezvous: file store %s: %w", f.dir, err)
	}
	return nil
}

// lost says that the directory went away.
func (f *File) lost(err error) error {
	return fmt.Errorf("%w: directory %s is gone: %w", ErrLost, f.dir, err)
}

// fail says what the store was doing, and where.
func (f *File) fail(doing string, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("rendezvous: file store %s: %s: no room left there; free some or choose another directory: %w", f.dir, doing, err)
	}
	return fmt.Errorf("rendezvous: file store %s: %s: %w", f.dir, doing, err)
}
