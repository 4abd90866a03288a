package rendezvous

import (
	"fmt"
	"os"
	"syscall"
)

// checkOwner refuses a directory of another user, who could speak for any rank
// in it. Root's directories are fine, and so is everything to root.
func checkOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	me := os.Geteuid()
	if !ok || me == 0 || stat.Uid == 0 || int(stat.Uid) == me {
		return nil
	}
	return fmt.Errorf("%s belongs to user %d, not to this user (%d): choose another directory", dir, stat.Uid, me)
}
