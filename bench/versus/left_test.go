package versus

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestNothingIsLeft: what a command has started ends with it, when it takes too
// long and when it ends without waiting for it. A process is gone when its end of a
// pipe is closed.
func TestNothingIsLeft(t *testing.T) {
	for name, script := range map[string]string{
		"hangs":  "(sleep 600 >pipe) & sleep 600",
		"leaves": "(sleep 600 >pipe 2>&1) >/dev/null 2>&1 & read line <ready",
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, fifo := range []string{"pipe", "ready"} {
				if err := syscall.Mkfifo(fifo, 0o600); err != nil {
					t.Skip(err)
				}
			}
			ended := make(chan error, 1)
			go func() {
				pipe, err := os.Open("pipe") // waits until the other end is open
				if err != nil {
					ended <- err
					return
				}
				defer pipe.Close()
				if name == "leaves" {
					err = os.WriteFile(filepath.Join(".", "ready"), []byte("go\n"), 0)
				}
				if err == nil {
					err = pipe.SetReadDeadline(time.Now().Add(time.Minute))
				}
				if err == nil {
					_, err = pipe.Read(make([]byte, 1))
				}
				ended <- err
			}()
			_, _ = limited(context.Background(), 2*time.Second, shell("gloo", name, script))
			if err := <-ended; err == nil || os.IsTimeout(err) {
				t.Errorf("a process is left: %v", err)
			}
		})
	}
}
