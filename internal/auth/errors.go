package auth

import (
	"errors"
	"fmt"
)

// The answers of Client and Server that are no fault of the network. Test with
// errors.Is.
var (
	// ErrToken says that the ends hold different tokens.
	ErrToken = errors.New("the other side holds a different job token")
	// ErrStranger says that the other end speaks some other protocol: a port
	// scanner, a web browser, a foreign service.
	ErrStranger = errors.New("the other side does not speak this protocol")
)

// VersionError says that both ends come from this library but speak different
// protocols or versions of one.
type VersionError struct {
	Mine, Theirs string // as in "ringo store v1"
}

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("this side speaks %q, the other %q: use one release everywhere", e.Mine, e.Theirs)
}
