package main

import (
	"errors"
	"io"
	"os"

	"github.com/ringo-ccl/ringo/bench"
	"github.com/ringo-ccl/ringo/bench/versus"
)

// comparisonFile is a result file and what fills it.
type comparisonFile struct {
	file  *bench.OutFile // nil for standard output
	write func(*versus.Results, io.Writer) error
}

type comparisonFiles []comparisonFile

// open prepares the files that c asks for.
func (c *comparison) open() (files comparisonFiles, err error) {
	picture := func(r *versus.Results, w io.Writer) error {
		format, err := bench.PlotFormat(c.plot)
		if err != nil {
			return err
		}
		return r.Plot(w, format)
	}
	for _, f := range []struct {
		path  string
		write func(*versus.Results, io.Writer) error
	}{{c.json, (*versus.Results).JSON}, {c.csv, (*versus.Results).Raw}, {c.plot, picture}} {
		if f.path == "" {
			continue
		}
		var file *bench.OutFile
		if f.path != "-" {
			if file, err = bench.CreateOutFile(f.path); err != nil {
				return files, err
			}
		}
		files = append(files, comparisonFile{file, f.write})
	}
	return files, nil
}

func (files comparisonFiles) finish(r *versus.Results) error {
	var errs []error
	for _, f := range files {
		write := func(w io.Writer) error { return f.write(r, w) }
		if f.file == nil {
			errs = append(errs, write(os.Stdout))
		} else {
			errs = append(errs, f.file.Finish(write))
		}
	}
	return errors.Join(errs...)
}

// close gives up the files that were not finished.
func (files comparisonFiles) close() {
	for _, f := range files {
		if f.file != nil {
			_ = f.file.Close() // finish has closed it, mostly
		}
	}
}
