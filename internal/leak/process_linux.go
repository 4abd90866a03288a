package leak

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// warm makes the runtime open the descriptors that it keeps for good (its poller's),
// so that they are not mistaken for the first test's.
var warm = sync.OnceFunc(func() {
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
})

// descriptors adds what this process has open. A descriptor is the same only if
// it still refers to the same file.
func descriptors(s scene) {
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, fd := range names {
		target, err := os.Readlink("/proc/self/fd/" + fd)
		if err != nil || strings.HasSuffix(target, "/fd") && strings.HasPrefix(target, "/proc/") {
			continue // closed meanwhile, or dir itself
		}
		s["descriptor "+fd+" of "+target] = "is open"
	}
}

// children adds this process's children, the dead that nobody waited for too.
func children(s scene) {
	files, _ := filepath.Glob("/proc/self/task/*/children")
	for _, file := range files {
		pids, _ := os.ReadFile(file)
		for _, pid := range strings.Fields(string(pids)) {
			name, err := os.ReadFile("/proc/" + pid + "/comm")
			if err != nil {
				continue
			}
			s["child process "+pid] = strings.TrimSpace(string(name))
		}
	}
}
