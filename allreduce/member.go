package allreduce

import (
	"encoding/json"
	"fmt"
	"github.com/ringo-ccl/ringo/choose"
	"os"

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
	Places     map[string]string // by transport over which ranks can share memory
	Profile    json.RawMessage   `json:",omitempty"` // rank 0's cost model
	Serves     bool              // this rank serves the Store
	Gone       []string          `json:",omitempty"` // transports that did not open, and why
}

func (m *member) who() string { return fmt.Sprintf("%s, pid %d", m.Host, m.PID) }

func thisMember(c *Config) member {
	m := member{Wire: wire.Version, Settings: c.settings(), Host: hostName(), PID: os.Getpid(),
		Addrs: map[string]string{}, Places: map[string]string{}, Serves: c.launch.Serve}
	if c.Rank == 0 {
		m.Profile = encodeProfile(c.Profile)
	}
	return m
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

// encodeProfile is the cost model as it travels to the other ranks.
func encodeProfile(p *choose.Profile) json.RawMessage {
	b, _ := json.Marshal(p) // cannot fail: strings and numbers only
	return b
}
