package main

import (
	"errors"
	"io"
	"os"

	"github.com/ringo-ccl/ringo/bench"
)

// outputs is where results go. All files are opened before the run, so that a
// path that cannot be written costs no time.
type outputs struct {
	table *bench.Table
	files []output
}

// output is one result file and what fills it.
type output struct {
	file  *bench.OutFile // nil for standard output
	write func(io.Writer, *bench.Report) error
}

// openOutputs opens what o asks for.
func openOutputs(o *options) (*outputs, error) {
	out := &outputs{table: bench.NewTable(os.Stdout)}
	if o.json == "-" || o.csv == "-" {
		out.table = bench.NewTable(os.Stderr)
	}
	picture := func(w io.Writer, r *bench.Report) error {
		format, err := bench.PlotFormat(o.plot)
		if err != nil {
			return err
		}
		return bench.Plot(w, r, format)
	}
	for _, f := range []struct {
		path  string
		write func(io.Writer, *bench.Report) error
	}{{o.json, bench.WriteJSON}, {o.csv, bench.WriteCSV}, {o.plot, picture}} {
		if f.path == "" {
			continue
		}
		if err := out.add(f.path, f.write); err != nil {
			out.close()
			return nil, &usageError{err}
		}
	}
	return out, nil
}

func (out *outputs) add(path string, write func(io.Writer, *bench.Report) error) error {
	if path == "-" {
		out.files = append(out.files, output{write: write})
		return nil
	}
	file, err := bench.CreateOutFile(path)
	if err == nil {
		out.files = append(out.files, output{file, write})
	}
	return err
}

// finish writes r everywhere.
func (out *outputs) finish(r *bench.Report) error {
	var errs []error
	for _, f := range out.files {
		if f.file == nil {
			errs = append(errs, f.write(os.Stdout, r))
		} else {
			errs = append(errs, f.file.Finish(func(w io.Writer) error { return f.write(w, r) }))
		}
	}
	return errors.Join(errs...)
}

// close gives up the files that were not finished.
func (out *outputs) close() {
	for _, f := range out.files {
		if f.file != nil {
			_ = f.file.Close() // finish has closed it, mostly
		}
	}
}
