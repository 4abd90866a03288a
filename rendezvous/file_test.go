package rendezvous

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func openTest(t *testing.T, dir string) *File {
	t.Helper()
	f, err := OpenFile(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestFileRemoveAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job", "1")
	f, waits := openTest(t, dir), openTest(t, dir)
	if _, err := f.Put(t.Context(), "key", []byte("value")); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		_, err := waits.Get(t.Context(), "never")
		got <- err
	}()
	if err := f.RemoveAll(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a Get that waited says %v", err)
	}
	if _, err := waits.List(t.Context(), ""); !errors.Is(err, ErrLost) {
		t.Errorf("List says %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory is still there: %v", err)
	}
}

func TestFileRemoveAllKeepsWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "thesis.txt")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := openTest(t, dir).RemoveAll(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

func TestFileIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	openTest(t, dir)
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestFileLeavesNoTemporaries(t *testing.T) {
	f := openTest(t, t.TempDir())
	for range 3 {
		f.Put(t.Context(), "key", nil)
	}
	if entries, _ := os.ReadDir(f.keys); len(entries) != 1 {
		t.Errorf("found %v", entries)
	}
}

func TestFileFullDisk(t *testing.T) {
	f := openTest(t, t.TempDir())
	f.link = func(old, new string) error { return &os.LinkError{Op: "link", Old: old, New: new, Err: syscall.ENOSPC} }
	_, err := f.Put(t.Context(), "key", nil)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "no room left") || !strings.Contains(err.Error(), f.dir) {
		t.Errorf("got %v", err)
	}
}

func TestFileNoDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	os.WriteFile(path, nil, 0o600)
	if _, err := OpenFile(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

func TestFileOfAnother(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may use every directory")
	}
	if err := checkOwner("/proc/self/fd"); err != nil {
		t.Errorf("own directory: %v", err)
	}
}
