package bench

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// OutFile is a result file that is prepared before a run and filled after it, so
// that a path that cannot be written fails early. A regular file appears under
// its name only when it is complete, and a run that is killed leaves nothing.
type OutFile struct {
	path   string
	stream *os.File // a device or a pipe, open; nil for a regular file
}

// CreateOutFile prepares to write path.
func CreateOutFile(path string) (*OutFile, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link stays one
	}
	stream, err := prepare(path)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	return &OutFile{path: path, stream: stream}, nil
}

// prepare opens path if it is a device or a pipe, and otherwise tries whether a
// file could be put there.
func prepare(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("it is a directory")
	case err == nil && !info.Mode().IsRegular():
		return os.OpenFile(path, os.O_WRONLY, 0)
	}
	trial, err := newPending(path)
	if err != nil {
		return nil, err
	}
	return nil, trial.Cleanup()
}

// newPending makes the file that Finish fills and then renames to path.
func newPending(path string) (*renameio.PendingFile, error) {
	return renameio.NewPendingFile(path, renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
}

// Finish lets write fill the file and puts it in place. The error names the
// file, for instance when the disk is full.
func (o *OutFile) Finish(write func(io.Writer) error) error {
	if err := o.finish(write); err != nil {
		return fmt.Errorf("cannot write %s: %w", o.path, err)
	}
	return nil
}

func (o *OutFile) finish(write func(io.Writer) error) error {
	if o.stream != nil {
		err := write(o.stream)
		if closeErr := o.stream.Close(); err == nil {
			err = closeErr
		}
		return err
	}
	pending, err := newPending(o.path)
	if err != nil {
		return err
	}
	defer pending.Cleanup() // does nothing once the file is in place
	if err := write(pending); err != nil {
		return err
	}
	return pending.CloseAtomicallyReplace()
}

// Close gives up a file that was not finished.
func (o *OutFile) Close() error {
	if o.stream == nil {
		return nil
	}
	return o.stream.Close()
}
