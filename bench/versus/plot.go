package versus

import (
	"bytes"
	"fmt"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// Plot draws, as "svg" or "png", the time over the size for each configuration of
// ringo and for the best configuration of each peer; one colour for each library,
// one dash pattern for each number of ranks.
func (r *Results) Plot(w io.Writer, format string) error {
	p := plot.New()
	p.Title.Text = r.what
	p.X.Label.Text, p.Y.Label.Text = "size of the array (bytes)", "time (µs), median of rounds"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	s := &r.samples
	all := func(cell) bool { return true }
	for dash, ranks := range keys(s, all, func(c cell) int { return c.Ranks }) {
		for colour, lib := range keys(s, all, func(c cell) string { return c.Library }) {
			points := s.curve(lib, ranks)
			if len(points) == 0 {
				continue
			}
			line, err := plotter.NewLine(points)
			if err != nil {
				return fmt.Errorf("plot: %w", err)
			}
			line.Color, line.Dashes, line.Width = plotutil.Color(colour), plotutil.Dashes(dash), vg.Points(1.5)
			p.Add(line)
			p.Legend.Add(fmt.Sprintf("%s, P = %d", lib, ranks), line)
		}
	}
	picture, err := p.WriterTo(9*vg.Inch, 6*vg.Inch, format)
	if err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	var b bytes.Buffer
	if _, err := picture.WriteTo(&b); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// curve is the best configuration of a library at each size.
func (s *samples) curve(lib string, ranks int) (points plotter.XYs) {
	here := func(c cell) bool { return c.Ranks == ranks && c.Library == lib }
	for _, bytes := range keys(s, here, func(c cell) int64 { return c.Bytes }) {
		if c, ok := s.best(lib, ranks, bytes); ok {
			points = append(points, plotter.XY{X: float64(bytes), Y: s.overall(c)})
		}
	}
	return points
}
