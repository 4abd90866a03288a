package rendezvous

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// machine is what FromEnv needs to know beside the environment.
type machine struct {
	tempDir  string
	hostname string
	uid      int
	parent   string // the parent process, different from any that had its number before
}

func thisMachine() machine {
	hostname, _ := os.Hostname() // its user complains about an empty one
	return machine{tempDir: os.TempDir(), hostname: hostname, uid: os.Getuid(), parent: parentProcess()}
}

// parentProcess is the parent's number and start time, or only its number where
// the system does not tell the time.
func parentProcess() string {
	pid := os.Getppid()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return fmt.Sprint(pid)
	}
	// The name, in parentheses, may hold anything; the start time is the 20th
	// field after it.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return fmt.Sprint(pid)
	}
	return fmt.Sprintf("%d@%s", pid, fields[19])
}

// jobDir is a directory that only this run of this user's job uses on this
// machine, where the launcher or its daemon is the parent of all ranks. The
// launcher's name for the job is not enough: it may repeat, as in a container
// that was started again.
func (m machine) jobDir(namespace string) string {
	id := "namespace " + namespace + " parent " + m.parent
	sum := sha256.Sum256([]byte(id))
	return filepath.Join(m.tempDir, fmt.Sprintf("ringo-%d-%x", m.uid, sum[:8]))
}

// readToken reads a token from a file, without the white space around it.
func readToken(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("RINGO_TOKEN_FILE: %w", err)
	}
	token := bytes.TrimSpace(text)
	if len(token) == 0 {
		return nil, fmt.Errorf("RINGO_TOKEN_FILE=%s: the file is empty", file)
	}
	return token, nil
}
