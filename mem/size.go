package mem

import "fmt"

// size is a number of bytes that prints in the largest unit that divides it.
type size int

// String returns s as in "64 MiB" or "1000 bytes".
func (s size) String() string {
	switch {
	case s != 0 && s%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", int(s>>30))
	case s != 0 && s%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", int(s>>20))
	case s != 0 && s%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", int(s>>10))
	}
	return fmt.Sprintf("%d bytes", int(s))
}
