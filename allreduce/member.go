package allreduce

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/ringo-ccl/ringo/internal/wire"
)

// member is what a rank tells all others when it joins.
type member struct {
	Wire       int               // protocol version
	Settings   [][2]string       // name and value of what must be the same
	Host       string            //
	PID        int               //
	Transports []string          // that work here, best first
	Addrs      map[string]string // by transport
	Serves     bool              // this rank serves the Store
	Gone       []string          `json:",omitempty"` // transports that did not open, and why
}

func (m *member) who() string { return fmt.Sprintf("%s, pid %d", m.Host, m.PID) }

func thisMember(c *Config) member {
	return member{Wire: wire.Version, Settings: c.settings(), Host: hostName(), PID: os.Getpid(), Addrs: map[string]string{}, Serves: c.launch.Serve}
}

func decodeMembers(raw [][]byte) ([]member, error) {
	ms := make([]member, len(raw))
	for rank, b := range raw {
		if err := json.Unmarshal(b, &ms[rank]); err != nil {
			return nil, fmt.Errorf("rank %d published something that is no member record: %w", rank, err)
		}
	}
	return ms, nil
}

// compare finds the first setting in which a rank differs from rank 0.
func compare(ms []member) error {
	for rank := 1; rank < len(ms); rank++ {
		if a, b := ms[0].Wire, ms[rank].Wire; a != b {
			return differ("protocol version", rank, fmt.Sprint(a), fmt.Sprint(b), ms)
		}
		for i, s := range ms[0].Settings {
			if i >= len(ms[rank].Settings) {
				return differ(s[0], rank, s[1], "nothing", ms)
			}
			if o := ms[rank].Settings[i]; o != s {
				return differ(s[0], rank, s[1], o[1], ms)
			}
		}
	}
	return nil
}

func differ(field string, rank int, a, b string, ms []member) error {
	return fmt.Errorf("%w: %s: rank 0 (%s) has %s, rank %d (%s) has %s", ErrConfigMismatch, field, ms[0].who(), a, rank, ms[rank].who(), b)
}

// pickTransport takes the first of rank 0's transports that every rank offers,
// and says why.
func pickTransport(ms []member) (name, why string, err error) {
	var reasons []string
	for _, n := range ms[0].Transports {
		missing := -1
		for rank := range ms {
			if ms[rank].Addrs[n] == "" {
				missing = rank
				break
			}
		}
		if missing < 0 {
			return n, strings.Join(append(reasons, "best that all ranks offer"), "; "), nil
		}
		reasons = append(reasons, fmt.Sprintf("%s: not on rank %d %v", n, missing, ms[missing].Gone))
	}
	return "", "", fmt.Errorf("%w: no transport that all ranks offer (%s)", ErrConfigMismatch, strings.Join(reasons, "; "))
}
