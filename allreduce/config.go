package allreduce

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringo-ccl/ringo/allreduce/defaults"
	"github.com/ringo-ccl/ringo/choose"
	"github.com/ringo-ccl/ringo/pipeline"
	"github.com/ringo-ccl/ringo/rendezvous"
	"github.com/ringo-ccl/ringo/transport"
)

// Version is the library's version. Ranks of different versions refuse each
// other in Join.
const Version = "0.1.0"

// PoolLimit bounds the memory that a Group uses beyond the caller's buffers, in
// bytes, whatever the message size.
const PoolLimit = 64 << 20

// Config says how a rank joins its group. The zero value works: the launcher's
// environment says who this is, and without a launcher the group has one rank.
// Fields marked "same on all ranks" are compared in Join.
type Config struct {
	// Name tells apart the groups that meet in one Store. Default "world".
	Name string
	// Rank and Ranks are this rank, from 0, and the world size. Ranks 0 takes
	// both from the environment (see rendezvous.FromEnv).
	Rank, Ranks int
	// Store is where the ranks meet. The caller closes it after the Group. Nil
	// opens the one that the environment names; the Group then closes it. A rank
	// has a last will in it, so each Group needs a client of its own.
	Store rendezvous.Store
	// Token is the job's shared secret; same on all ranks, and never sent. Nil
	// takes the environment's RINGO_TOKEN or RINGO_TOKEN_FILE. Without a token
	// any process that reaches a port can join.
	Token []byte
	// Drivers are the transports to use, best first. Nil: defaults.Drivers. Ranks
	// of one host share memory over the first that can; messages go over the first
	// that joins all ranks.
	Drivers []transport.Driver
	// Algorithm is "auto" (the default) or the name of one, as in package choose;
	// same on all ranks. Auto chooses by size, from Profile. A collective for
	// which the named algorithm does not exist is chosen for as by auto.
	Algorithm string
	// Reproducible says whether every element is summed in rank order, left to
	// right, whatever the transport, algorithm and hosts; same on all ranks. See
	// the package comment. Default: on.
	Reproducible Switch
	// Profile is the cost model by which algorithms are chosen; rank 0's counts
	// for all. Nil: choose.Default.
	Profile *choose.Profile
	// Order is the order of the ranks around a ring, for example from a placement
	// hint; a permutation of 0 … Ranks-1, same on all ranks. It changes the order
	// of additions in the algorithm "ring" and nothing else. Nil: by rank.
	Order []int
	// SubChunk is the longest piece in bytes that the pipeline moves at a time,
	// Depth how many are in flight per neighbour, Conns the connections per
	// neighbour; same on all ranks. 0: what the Profile says, else 256 KiB, 2, 1.
	// They change no result.
	SubChunk, Depth, Conns int
	// JoinTimeout bounds Join (default 2 minutes), OpTimeout each collective
	// (default 5 minutes), PeerTimeout how long an unreachable host goes
	// unnoticed (default 10 s). Negative: no limit, except for PeerTimeout.
	JoinTimeout, OpTimeout, PeerTimeout time.Duration
	// Log takes progress while joining and refused strangers. Nil: slog.Default.
	Log *slog.Logger

	launch   rendezvous.Launch // what the environment says
	storeEnd io.Closer         // ends what was opened beside Store; nil when Store is the caller's
}

// Switch is a setting that is on, off or left to the library.
type Switch uint8

// The values of a Switch.
const (
	Default Switch = iota
	On
	Off
)

func (s Switch) String() string { return [...]string{"default", "on", "off"}[min(s, Off)] }

// pipeline is the configuration of the loop in a team of that many ranks.
func (c *Config) pipeline(team int) pipeline.Config {
	return pipeline.Config{SubChunk: c.SubChunk, Depth: c.Depth, Ranks: c.Ranks, StageBlock: pipeline.StageBlockFor(team)}
}

// maxConns bounds the connections per neighbour.
const maxConns = 16

// complete fills in the defaults and refuses what makes no sense.
func (c Config) complete() (Config, error) {
	if err := c.fromEnvironment(); err != nil {
		return c, err
	}
	c.Name = or(c.Name, "world")
	c.Algorithm = or(c.Algorithm, "auto")
	c.JoinTimeout = or(c.JoinTimeout, 2*time.Minute)
	c.OpTimeout = or(c.OpTimeout, 5*time.Minute)
	c.PeerTimeout = or(c.PeerTimeout, 10*time.Second)
	c.Conns = or(c.Conns, 1)
	if c.Drivers == nil {
		c.Drivers = defaults.Drivers()
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Profile == nil {
		c.Profile = choose.Default()
	}
	pc, err := c.pipeline(0).Validate(PoolLimit)
	if err != nil {
		return c, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	c.SubChunk, c.Depth = pc.SubChunk, pc.Depth
	return c, c.validate()
}

// fromEnvironment takes what the Config leaves open from the launcher.
func (c *Config) fromEnvironment() error {
	if c.Ranks != 0 && (c.Rank < 0 || c.Rank >= c.Ranks) {
		return nil // validate says so
	}
	l, err := c.readEnvironment()
	if err != nil {
		return fmt.Errorf("%w: environment: %w", ErrInvalid, err)
	}
	if c.Token != nil {
		l.Token = c.Token
	}
	c.Rank, c.Ranks, c.Token, c.launch = l.Rank, l.Ranks, l.Token, l
	return nil
}

func (c *Config) readEnvironment() (rendezvous.Launch, error) {
	if c.Ranks != 0 {
		return rendezvous.StoreFromEnv(os.Getenv, c.Rank, c.Ranks)
	}
	l, found, err := rendezvous.FromEnv(os.Getenv)
	if err == nil && !found {
		l = rendezvous.Launch{Ranks: 1}
	}
	return l, err
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func (c *Config) validate() error {
	switch {
	case c.Ranks < 1:
		return fmt.Errorf("%w: %d ranks; a group has at least 1", ErrInvalid, c.Ranks)
	case c.Rank < 0 || c.Rank >= c.Ranks:
		return fmt.Errorf("%w: rank %d of %d; ranks go from 0 to %d", ErrInvalid, c.Rank, c.Ranks, c.Ranks-1)
	case c.Conns < 1 || c.Conns > maxConns:
		return fmt.Errorf("%w: %d connections per neighbour, want 1 to %d", ErrInvalid, c.Conns, maxConns)
	case c.Algorithm != "auto" && !slices.Contains(choose.Algorithms(), c.Algorithm):
		return fmt.Errorf("%w: algorithm %q; there are auto, %s", ErrInvalid, c.Algorithm, strings.Join(choose.Algorithms(), ", "))
	case c.Reproducible > Off:
		return fmt.Errorf("%w: Reproducible is %d; want Default, On or Off", ErrInvalid, c.Reproducible)
	case c.Store == nil && c.Ranks > 1 && c.launch.Store == "":
		return fmt.Errorf("%w: %d ranks but no Store to meet in; set Config.Store, or RINGO_STORE in the environment", ErrInvalid, c.Ranks)
	case c.PeerTimeout < 0:
		return fmt.Errorf("%w: peer timeout %v", ErrInvalid, c.PeerTimeout)
	}
	return nil
}

// settings lists what must be the same on all ranks, by name.
func (c *Config) settings() [][2]string {
	return [][2]string{
		{"library version", Version},
		{"world size", strconv.Itoa(c.Ranks)},
		{"algorithm", c.Algorithm},
		{"Reproducible", c.Reproducible.String()},
		{"ring order", fmt.Sprint(c.Order)},
		{"sub-chunk in bytes", strconv.Itoa(c.SubChunk)},
		{"depth", strconv.Itoa(c.Depth)},
		{"connections per neighbour", strconv.Itoa(c.Conns)},
	}
}

func hostName() string {
	h, err := os.Hostname()
	if err != nil {
		return "unknown host"
	}
	return h
}
