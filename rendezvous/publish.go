package rendezvous

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// write puts value into a new temporary file in the store's directory.
func (f *File) write(value []byte) (name string, err error) {
	temp, err := os.CreateTemp(f.keys, ".put-*")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(value)
	err = errors.Join(err, temp.Close()) // a network file system may say at close that the disk is full
	if err != nil {
		os.Remove(temp.Name())
		return "", err
	}
	return temp.Name(), nil
}

// publish gives the finished file temp the name path unless that exists. Where
// the file system has no hard links, the right to the name goes to who makes
// the claim file beside it.
func (f *File) publish(temp, path string) (won bool, err error) {
	err = f.link(temp, path)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrExist):
		return false, nil
	case !errors.Is(err, fs.ErrPermission) && !errors.Is(err, errors.ErrUnsupported):
		return false, err
	}
	claim, err := os.OpenFile(filepath.Join(filepath.Dir(path), ".claim-"+filepath.Base(path)), os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, errors.Join(claim.Close(), os.Rename(temp, path))
}
