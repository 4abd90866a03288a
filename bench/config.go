package bench

import (
	"time"

	"github.com/ringo-ccl/ringo/reduce"
)

// fullIterationsUpTo is the size in bytes above which fewer iterations are
// timed, so that a row moves about as many bytes as one of this size.
const fullIterationsUpTo = 64 << 20

// Config says what a run measures. It is the same on all ranks.
type Config struct {
	Collectives []Collective
	Types       []reduce.Type
	Ops         []reduce.Op
	Sizes       Sizes
	// Iterations are timed and WarmUp are not, for each row and placement; unless
	// Exact is set there are fewer of both above 64 MiB.
	Iterations, WarmUp int
	Exact              bool
	// Budget, if not 0, is about how long a row and placement may take: there are
	// no more timed iterations than fit into it, and no more warm-up ones than fit
	// into a quarter of it, but at least 3 of each. The peers' programs in
	// bench/peers follow the same rule.
	Budget time.Duration
	// Check compares every element of the result after each timed loop.
	Check bool
	Mode  Mode
	// Memory is the kind of the buffers. Default: Registered.
	Memory Kind
	// Rewrite has owners write their input before each timed iteration, and read
	// their result within it.
	Rewrite bool
	// Seed chooses the input data.
	Seed uint64
}

// point is one row to measure.
type point struct {
	collective Collective
	typ        reduce.Type // zero for a barrier
	op         reduce.Op   // zero where nothing is reduced
	total      int         // elements of the whole array
}

// points lists the rows for ranks ranks, in the order of the table. Sizes are
// rounded down to whole elements, and to whole blocks where ranks have blocks;
// a size that this makes equal to the one before is left out.
func (c *Config) points(ranks int) []point {
	var list []point
	for _, collective := range c.Collectives {
		if collective == Barrier {
			list = append(list, point{collective: Barrier})
			continue
		}
		ops := c.Ops
		if !collective.reduces() {
			ops = []reduce.Op{{}}
		}
		for _, t := range c.Types {
			for _, op := range ops {
				list = append(list, c.series(point{collective: collective, typ: t, op: op}, ranks)...)
			}
		}
	}
	return list
}

// series lists p at every size.
func (c *Config) series(p point, ranks int) []point {
	unit := p.typ.Size()
	if p.collective.scattered() {
		unit *= ranks
	}
	var list []point
	last := -1
	for _, size := range c.Sizes.List() {
		p.total = size / unit * unit / p.typ.Size()
		if p.total != last {
			list = append(list, p)
		}
		last = p.total
	}
	return list
}

// bytes is the size of the whole array.
func (p point) bytes() int { return p.total * p.typ.Size() }

// count is what the table shows as such: elements of the array, or of one
// rank's block.
func (p point) count(ranks int) int {
	if p.collective.scattered() {
		return p.total / ranks
	}
	return p.total
}

func (p point) typeName() string {
	if p.typ.Size() == 0 {
		return "none"
	}
	return p.typ.String()
}

func (p point) opName() string {
	if !p.op.Valid() {
		return "none"
	}
	return p.op.String()
}

// iterations is how many timed and untimed iterations p gets.
func (c *Config) iterations(p point) (timed, warmUp int) {
	if c.Exact {
		return c.Iterations, c.WarmUp
	}
	return scaled(c.Iterations, p.bytes(), 2), scaled(c.WarmUp, p.bytes(), 1)
}

// scaled reduces n for sizes above fullIterationsUpTo, but not below least.
func scaled(n, size, least int) int {
	if size <= fullIterationsUpTo {
		return n
	}
	return max(min(n, least), int(float64(n)*fullIterationsUpTo/float64(size)))
}

// Steps is the number of iterations, timed or not, that the whole run takes on
// ranks ranks: what a progress bar counts to.
func (c *Config) Steps(ranks int) int {
	n := 0
	for _, p := range c.points(ranks) {
		timed, warmUp := c.iterations(p)
		n += 2 * (timed + warmUp)
	}
	return n
}

// largest is the size in bytes of the largest array of the run.
func (c *Config) largest(ranks int) int {
	n := 0
	for _, p := range c.points(ranks) {
		n = max(n, p.bytes())
	}
	return n
}
