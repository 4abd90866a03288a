package bench

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	plotWidth  = 9 * vg.Inch
	plotHeight = 5.5 * vg.Inch
	plotMargin = vg.Length(14) // points
)

// PlotFormat is the picture format that a file name asks for: "svg" or "png".
func PlotFormat(path string) (string, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".svg", ".png":
		return ext[1:], nil
	}
	return "", fmt.Errorf("%q does not say which kind of picture; name a file that ends in .svg or .png", path)
}

// Plot draws the bus bandwidth of r's results over the size, as "svg" or "png":
// one line for each collective, type, operator and placement.
func Plot(w io.Writer, r *Report, format string) error {
	lines := linesOf(r.Results)
	p := newPlot(r, lines)
	p.Add(grid())
	for i, l := range lines {
		if err := l.draw(p, l.name(lines), i); err != nil {
			return fmt.Errorf("plot: %w", err)
		}
	}
	picture, err := draw.NewFormattedCanvas(plotWidth, plotHeight, format)
	if err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	p.Draw(draw.Crop(draw.New(picture), plotMargin, -1.5*plotMargin, plotMargin, -plotMargin))
	var buf bytes.Buffer // the drawing libraries lose some errors of a writer
	if _, err := picture.WriteTo(&buf); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	_, err = w.Write(buf.Bytes())
	return err
}

// newPlot sets title, axes and legend.
func newPlot(r *Report, lines []line) *plot.Plot {
	p := plot.New()
	title, subtitle := titles(r, lines)
	p.Title.Text = title + "\n" + subtitle
	p.Title.TextStyle.Font.Size = 13
	p.Title.Padding = vg.Points(10)
	p.X.Label.Text = "message size (bytes; K, M, G are binary)"
	p.Y.Label.Text = "bus bandwidth (GB/s, 10^9 bytes per second)"
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size = 12
		a.Label.Padding = vg.Points(6)
		a.Tick.Label.Font.Size = 11
	}
	p.X.Scale, p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogScale{}, sizeTicks{}, roundTicks{}
	p.X.Min, p.X.Max, p.Y.Max = extent(lines)
	p.Y.Min = 0
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font.Size = 11
	p.Legend.Padding = vg.Points(3)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(10), -vg.Points(6)
	p.Legend.ThumbnailWidth = vg.Points(28)
	useSans(p)
	return p
}

// titles says in two lines what a picture of lines shows; what all lines share
// is said here and not in the legend.
func titles(r *Report, lines []line) (title, subtitle string) {
	c := r.Config
	var shared []string
	for _, part := range []func(line) string{line.what, line.element, line.operator} {
		if all := distinct(lines, part); len(all) == 1 && all[0] != "none" {
			shared = append(shared, all[0])
		}
	}
	title = strings.Join(append(shared, plural(c.Ranks, "rank")+" over "+c.Transport), ", ")
	subtitle = fmt.Sprintf("%s; algorithm %s; %s mode", ranksPerHost(c.Hosts), c.Algorithm, c.Mode)
	return title, subtitle
}

// useSans sets all text in the sans-serif face.
func useSans(p *plot.Plot) {
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font,
	} {
		f.Variant = "Sans"
	}
}

// grid is a light background grid.
func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = color.Gray{0xd8}, color.Gray{0xd8}
	return g
}

// palette is Okabe and Ito's, which colour-blind people can tell apart.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x00, 0x00, 0x00, 0xff},
}

// draw adds the i-th line to p under name: out of place solid with discs, in place dashed
// with rings, both in the colour of their series.
func (l line) draw(p *plot.Plot, name string, i int) error {
	curve, dots, err := plotter.NewLinePoints(l.points)
	if err != nil {
		return err
	}
	c := palette[i/2%len(palette)]
	curve.Color, curve.Width = c, vg.Points(1.8)
	dots.Color, dots.Radius, dots.Shape = c, vg.Points(3), draw.CircleGlyph{}
	if l.placement == "in place" {
		curve.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
		dots.Shape = draw.RingGlyph{}
		dots.Radius = vg.Points(4)
	}
	p.Add(curve, dots)
	p.Legend.Add(name, curve, dots)
	return nil
}
