package bench

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func hello(w io.Writer) error {
	_, err := io.WriteString(w, "hello\n")
	return err
}

func TestOutFileAppearsWhenFinished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.json")
	out, err := CreateOutFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 0 {
		t.Errorf("there is something before the file is complete: %v", left)
	}
	if err := out.Finish(hello); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); string(got) != "hello\n" {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestOutFileFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	out, err := CreateOutFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("no")
	if err := out.Finish(func(io.Writer) error { return cause }); !errors.Is(err, cause) || !strings.Contains(err.Error(), path) {
		t.Errorf("Finish: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOutFileRefusesEarly(t *testing.T) {
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing", "out.json")} {
		if _, err := CreateOutFile(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("CreateOutFile(%s): %v", path, err)
		}
	}
}

func TestOutFileFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	out, err := CreateOutFile("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Finish(hello); err == nil || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("a full disk went unnoticed: %v", err)
	}
}
