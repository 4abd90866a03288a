package versus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
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
	own     int
}

// Failed is how many of ringo's own commands failed.
func (r *Results) Failed() int { return r.own }

// Run measures all jobs in all rounds. A command that fails, hangs or finds wrong
// elements is noted and left out; the comparison goes on. The error is ctx's, whose
// results are those until then, or that of rows that make no sense.
func Run(ctx context.Context, c Config) (*Results, error) {
	r := &Results{what: c.Jobs[0].String()}
	r.samples.mean = c.Jobs[0].Throughput
	fmt.Fprintln(&r.raw, columns)
	err := r.rounds(ctx, c)
	return r, errors.Join(err, r.samples.read(bytes.NewReader(r.raw.Bytes())))
}

// rounds runs every side of every job once in each round.
func (r *Results) rounds(ctx context.Context, c Config) error {
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
					return err
				}
			}
		}
	}
	return nil
}

// converters make rows of what is none.
var converters = map[Format]func(in io.Reader, out io.Writer, like row) error{Arbench: convert, NCCLTests: convertNCCL}

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
	rows := out
	if convert := converters[side.Format]; convert != nil {
		var b bytes.Buffer
		convertErr := convert(bytes.NewReader(out), &b, row{Library: side.Library, Config: side.Config, Ranks: j.Ranks})
		rows, err = b.Bytes(), errors.Join(err, convertErr)
	}
	taken, strange := r.take(rows, j, round, at, side)
	note := fmt.Sprintf("round %d P=%d %-28s %5.1f s", round+1, j.Ranks, side, time.Since(start).Seconds())
	switch {
	case err != nil && side.Rows > 0 && taken == side.Rows:
		note += " ended badly after its last row: " + inOneLine(err)
	case err != nil || strange != nil:
		why := inOneLine(errors.Join(err, strange))
		if side.Library == Subject {
			r.own++
		}
		fmt.Fprintf(&r.raw, "%sround %d ranks %d %s: %s\n", failedMark, round+1, j.Ranks, side, why)
		note += " FAILED: " + why
	}
	c.Note(note)
	return nil
}

func inOneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// take keeps the rows that belong to j and side, and returns how many there were
// and the first line that was none.
func (r *Results) take(rows []byte, j Job, round, at int, side Command) (taken int, strange error) {
	for line := range strings.Lines(string(rows)) {
		full := fmt.Sprintf("%d,%d,%s", round, at, strings.TrimSpace(line))
		got, err := parse(full)
		switch {
		case err != nil || got.Ranks != j.Ranks || got.Library != side.Library:
			if strange == nil {
				strange = fmt.Errorf("printed %.60q", line)
			}
		case got.Bytes == 0 || side.Format == NCCLTests && !slices.Contains(j.Sizes, int(got.Bytes)):
			// Not a whole block for each rank; or a size that only nccl-tests measured.
		default:
			fmt.Fprintln(&r.raw, full)
			taken++
		}
	}
	return taken, strange
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
