package bench

import (
	"math"
	"strings"

	"gonum.org/v1/plot/plotter"
)

// line is one curve: the points at which bus bandwidth has a meaning.
type line struct {
	collective, typ, op, placement string
	points                         plotter.XYs
}

// linesOf groups results into lines, in their order.
func linesOf(results []Result) []line {
	var lines []line
	at := map[[4]string]int{}
	for _, r := range results {
		if r.Size == 0 {
			continue // has no place on a logarithmic axis
		}
		for _, half := range []struct {
			name string
			p    Placement
		}{{"out of place", r.OutOfPlace}, {"in place", r.InPlace}} {
			if math.IsNaN(float64(half.p.BusBW)) {
				continue
			}
			key := [4]string{r.Collective, r.Type, r.Op, half.name}
			if _, ok := at[key]; !ok {
				at[key] = len(lines)
				lines = append(lines, line{collective: r.Collective, typ: r.Type, op: r.Op, placement: half.name})
			}
			l := &lines[at[key]]
			l.points = append(l.points, plotter.XY{X: float64(r.Size), Y: float64(half.p.BusBW)})
		}
	}
	return lines
}

func (l line) what() string     { return l.collective }
func (l line) element() string  { return l.typ }
func (l line) operator() string { return l.op }

// name is what tells l from the other lines.
func (l line) name(lines []line) string {
	var parts []string
	for _, part := range []func(line) string{line.what, line.element, line.operator} {
		if text := part(l); text != "none" && len(distinct(lines, part)) > 1 {
			parts = append(parts, text)
		}
	}
	return strings.Join(append(parts, l.placement), " ")
}

// distinct lists the values of part among lines, each once, in their order.
func distinct(lines []line, part func(line) string) []string {
	var all []string
	seen := map[string]bool{}
	for _, l := range lines {
		if v := part(l); !seen[v] {
			seen[v] = true
			all = append(all, v)
		}
	}
	return all
}

// extent is the range of the axes: sizes from the smallest to the largest,
// bandwidths up to a little above the highest.
func extent(lines []line) (xMin, xMax, yMax float64) {
	xMin, xMax = math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for _, p := range l.points {
			xMin, xMax, yMax = min(xMin, p.X), max(xMax, p.X), max(yMax, p.Y)
		}
	}
	if len(lines) == 0 {
		return 1, 2, 1
	}
	if xMin == xMax {
		xMin, xMax = xMin/2, xMax*2
	}
	if yMax == 0 {
		yMax = 1
	}
	return xMin, xMax, yMax * 1.15
}
