package versus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Results are the raw rows of a comparison and what became of it.
type Results struct {
	what    string
	raw     bytes.Buffer
	samples samples
	missing []string
}

// Run measures all jobs in all rounds. A command that fails, hangs or finds wrong
// elements is noted and left out; the comparison goes on. Its error is ctx's, or
// that of rows that make no sense.
func Run(ctx context.Context, c Config) (*Results, error) {
	r := &Results{what: c.Jobs[0].String()}
	r.samples.mean = c.Jobs[0].Throughput
	fmt.Fprintln(&r.raw, columns)
	noted := map[string]bool{}
	for round := range c.Rounds {
		for _, j := range c.Jobs {
			sides := c.Commands(j)
			for k := range sides {
				side := sides[position(k, round, len(sides))]
				if side.Missing != "" {
					if !noted[side.Library] {
						noted[side.Library] = true
						r.missing = append(r.missing, side.Library+": "+side.Missing)
					}
					continue
				}
				if err := r.measure(ctx, c, j, round, k, side); err != nil {
					return r, err
				}
			}
		}
	}
	return r, r.samples.read(bytes.NewReader(r.raw.Bytes()))
}

// position rotates the order from round to round, and turns it around in every
// other one.
func position(k, round, n int) int {
	if round%2 == 1 {
		return (round%n - k + n) % n
	}
	return (k + round) % n
}

// measure runs one command and takes its rows.
func (r *Results) measure(ctx context.Context, c Config, j Job, round, at int, side Command) error {
	start := time.Now()
	out, err := limited(ctx, c.Limit, side)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	rows := label(out, side.Config)
	if side.JSON {
		var b bytes.Buffer
		convertErr := convert(bytes.NewReader(out), &b, row{Library: side.Library, Config: side.Config, Ranks: j.Ranks})
		rows, err = b.Bytes(), errors.Join(err, convertErr)
	}
	for line := range strings.Lines(string(rows)) {
		full := fmt.Sprintf("%d,%d,%s", round, at, strings.TrimSpace(line))
		if _, bad := parse(full); bad != nil {
			err = errors.Join(err, fmt.Errorf("printed %.60q", line))
			continue
		}
		fmt.Fprintln(&r.raw, full)
	}
	note := fmt.Sprintf("round %d P=%d %-28s %5.1f s", round+1, j.Ranks, side, time.Since(start).Seconds())
	if err != nil {
		why := strings.Join(strings.Fields(err.Error()), " ")
		fmt.Fprintf(&r.raw, "%sround %d ranks %d %s: %s\n", failedMark, round+1, j.Ranks, side, why)
		note += " FAILED: " + why
	}
	c.Note(note)
	return nil
}

// limited runs a command in a process group of its own and returns what it
// printed. Nothing of it is left when it returns.
func limited(ctx context.Context, limit time.Duration, c Command) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it may have left
	}
	if ctx.Err() == context.DeadlineExceeded {
		return out.Bytes(), fmt.Errorf("ended after %v", limit)
	}
	if err != nil {
		err = fmt.Errorf("%w: %.200s", err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.Bytes(), err
}

// Raw writes the raw rows as CSV, with comments for what was left out.
func (r *Results) Raw(w io.Writer) error {
	_, err := w.Write(r.raw.Bytes())
	return err
}

// Report writes the tables, in Markdown.
func (r *Results) Report(w io.Writer) error {
	for _, m := range r.missing {
		fmt.Fprintf(w, "not installed: %s\n", m)
	}
	return write(w, r.samples, Subject, r.what)
}

// Subject is the library that all others are compared with.
const Subject = "ringo"
