package choose

import (
	"encoding/json"
	"fmt"
	"runtime"
)

// ProfileVersion is the version of a Profile's JSON form.
const ProfileVersion = 1

// Link is what it costs to use one kind of connection.
type Link struct {
	// LatencyNS is the time in nanoseconds from a rank's decision to send a few
	// bytes to their arrival at a rank that waits for them.
	LatencyNS int64 `json:"latency_ns"`
	// MessageNS is how long in nanoseconds a processor is busy with a message, at
	// each end, beside its bytes.
	MessageNS int64 `json:"message_ns"`
	// PSPerByte is the time in picoseconds that each byte of a long message adds.
	PSPerByte int64 `json:"ps_per_byte"`
}

// Profile is a cost model.
type Profile struct {
	Version int    `json:"version"`
	Name    string `json:"name"` // where it comes from: "default", or the host that was measured
	// Cores is how many processors the ranks of one host share.
	Cores int `json:"cores"`
	// Shared is memory that ranks share, Loopback messages within a host, Network
	// messages between hosts.
	Shared   Link `json:"shared"`
	Loopback Link `json:"loopback"`
	Network  Link `json:"network"`
	// ReducePSPerByte is the time in picoseconds to add a byte of one buffer to
	// another.
	ReducePSPerByte int64 `json:"reduce_ps_per_byte"`
}

// Default is the model of an ordinary server with a 10 Gbit/s network, and as many
// processors as this machine has. The figures within a host were measured, see
// docs/PERFORMANCE.md.
func Default() *Profile {
	return &Profile{Version: ProfileVersion, Name: "default", Cores: runtime.NumCPU(),
		Shared:          Link{LatencyNS: 150, MessageNS: 50, PSPerByte: 40},
		Loopback:        Link{LatencyNS: 1500, MessageNS: 1200, PSPerByte: 100},
		Network:         Link{LatencyNS: 15000, MessageNS: 2500, PSPerByte: 850},
		ReducePSPerByte: 40,
	}
}

// The largest figures that a Profile may hold: with them no estimate of a message
// of 2^46 bytes overflows.
const (
	maxNS    = 1e12
	maxPS    = 1e5
	maxCores = 1 << 16
)

// Validate says what makes no sense in p, if anything.
func (p *Profile) Validate() error {
	if p.Version != ProfileVersion {
		return fmt.Errorf("choose: profile %q has version %d, this is version %d; measure again", p.Name, p.Version, ProfileVersion)
	}
	if p.Cores < 1 || p.Cores > maxCores {
		return fmt.Errorf("choose: profile %q has %d cores", p.Name, p.Cores)
	}
	for _, l := range []struct {
		name string
		Link
	}{{"shared", p.Shared}, {"loopback", p.Loopback}, {"network", p.Network}} {
		if l.LatencyNS < 0 || l.LatencyNS > maxNS || l.MessageNS < 0 || l.MessageNS > maxNS || l.PSPerByte < 0 || l.PSPerByte > maxPS {
			return fmt.Errorf("choose: profile %q: %s link %+v is out of range", p.Name, l.name, l.Link)
		}
	}
	if p.ReducePSPerByte < 0 || p.ReducePSPerByte > maxPS {
		return fmt.Errorf("choose: profile %q: %d ps to reduce a byte are out of range", p.Name, p.ReducePSPerByte)
	}
	return nil
}

// Parse reads the JSON form of a Profile and validates it.
func Parse(b []byte) (*Profile, error) {
	var p Profile
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, fmt.Errorf("choose: no profile: %w", err)
	}
	return &p, p.Validate()
}
