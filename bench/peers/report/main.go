// Report turns the raw rows of bench/peers/run.sh into Markdown tables, one per
// number of ranks: ringo's median time, and for each peer the median of its best
// configuration and the ratio peer/ringo, paired within each round.
//
//	report results.csv
//	report -arbench run.json -config tcp -ranks 2 -iters 20   # a row of raw CSV from arbench's JSON
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	arbench := flags.String("arbench", "", "print raw CSV rows from this `file` written by arbench -J, and stop")
	config := flags.String("config", "tcp", "with -arbench: the config column")
	ranks := flags.Int("ranks", 0, "with -arbench: the ranks column")
	iters := flags.Int("iters", 0, "with -arbench: the iters column where the file does not say")
	subject := flags.String("library", "ringo", "the `library` all others are compared with")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *arbench != "" {
		f, err := os.Open(*arbench)
		if err != nil {
			return err
		}
		defer f.Close()
		return convert(f, out, row{Library: "ringo", Config: *config, Ranks: *ranks, Iters: *iters})
	}
	if flags.NArg() == 0 {
		return fmt.Errorf("want the raw CSV file of run.sh")
	}
	var all samples
	for _, name := range flags.Args() {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = all.read(f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return write(out, all, *subject)
}
