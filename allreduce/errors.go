package allreduce

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ringo-ccl/ringo/transport"
)

// The sentinels that a Group's errors wrap. Test with errors.Is.
var (
	// ErrAborted says that the group is dead: an earlier error, on this or
	// another rank, ended it. The error around it carries the cause.
	ErrAborted = errors.New("group aborted")
	// ErrMismatch says that ranks called different things: another collective,
	// count, type, operator, or another order of calls.
	ErrMismatch = errors.New("ranks called different things")
	// ErrTimeout says that a collective did not end within Config.OpTimeout.
	ErrTimeout = errors.New("timed out")
	// ErrPeerLost says that a rank's process or host died.
	ErrPeerLost = transport.ErrPeerLost
	// ErrClosed says that the Group was closed.
	ErrClosed = errors.New("group closed")
	// ErrInvalid says that a call or a Config makes no sense. The group lives on.
	ErrInvalid = errors.New("invalid argument")
	// ErrConfigMismatch says that ranks joined with different settings.
	ErrConfigMismatch = errors.New("ranks have different settings")
	// ErrNotSupported says that this version cannot do what was asked for.
	ErrNotSupported = transport.ErrNotSupported
)

// RankError says which rank ended a group, and how. Every rank gets the same
// one: the first that was reported.
type RankError struct {
	Rank  int    // the culprit; -1 when no single rank is
	Host  string // its host
	Op    string // the collective, as in "allreduce"; empty between collectives
	Seq   uint64 // its number in the group, from 1
	Stage string // what was being done
	Err   error  // wraps one of the sentinels
}

func (e *RankError) Error() string {
	var b strings.Builder
	if e.Rank >= 0 {
		fmt.Fprintf(&b, "rank %d", e.Rank)
		if e.Host != "" {
			fmt.Fprintf(&b, " (%s)", e.Host)
		}
		b.WriteString(": ")
	}
	if e.Op != "" {
		fmt.Fprintf(&b, "%s #%d: ", e.Op, e.Seq)
	}
	if e.Stage != "" {
		fmt.Fprintf(&b, "%s: ", e.Stage)
	}
	return b.String() + e.Err.Error()
}

func (e *RankError) Unwrap() error { return e.Err }

// kinds are the sentinels that survive the way to other ranks, by name. An error
// that wraps several is of the first kind; what wraps none is aborted.
var kinds = []struct {
	name string
	err  error
}{
	{"lost", ErrPeerLost}, {"mismatch", ErrMismatch}, {"timeout", ErrTimeout}, {"closed", ErrClosed},
	{"protocol", transport.ErrProtocol}, {"truncated", transport.ErrTruncated}, {"aborted", ErrAborted},
}

// remoteError is an error that another rank reported: its text, and which
// sentinel it wraps.
type remoteError struct {
	text string
	kind error
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.kind }

// cause is the form of a RankError in the Store.
type cause struct {
	Rank              int
	Host, Op          string
	Seq               uint64
	Stage, Kind, Text string
}

func encodeCause(e *RankError) []byte {
	c := cause{Rank: e.Rank, Host: e.Host, Op: e.Op, Seq: e.Seq, Stage: e.Stage, Kind: "aborted", Text: e.Err.Error()}
	for _, k := range kinds {
		if errors.Is(e.Err, k.err) {
			c.Kind = k.name
			break
		}
	}
	b, _ := json.Marshal(c) // cannot fail: strings and numbers only
	return b
}

// decodeCause never fails: what it cannot read becomes the error's text.
func decodeCause(b []byte) *RankError {
	var c cause
	if err := json.Unmarshal(b, &c); err != nil {
		return &RankError{Rank: -1, Err: &remoteError{fmt.Sprintf("aborted with an unreadable cause (%v)", err), ErrAborted}}
	}
	kind := ErrAborted
	for _, k := range kinds {
		if k.name == c.Kind {
			kind = k.err
		}
	}
	return &RankError{Rank: c.Rank, Host: c.Host, Op: c.Op, Seq: c.Seq, Stage: c.Stage, Err: &remoteError{c.Text, kind}}
}

// deadError is what a dead Group answers to new calls.
type deadError struct{ cause error }

func (e *deadError) Error() string   { return "group is dead: " + e.cause.Error() }
func (e *deadError) Unwrap() []error { return []error{ErrAborted, e.cause} }
