package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// The exit status.
const (
	exitOK     = 0 // all ran and every element was right
	exitFailed = 1 // a rank failed, an element was wrong, or it was too slow
	exitUsage  = 2 // the command line or the environment makes no sense
)

func main() { os.Exit(run(os.Args[1:])) }

// commands are what arbench does besides measuring.
var commands = map[string]func(args []string, out io.Writer) error{
	"plan": planCommand, "explain-choice": explainCommand, "tune": tuneCommand,
}

// run is main with an exit status.
func run(args []string) int {
	if len(args) > 0 {
		if command := commands[args[0]]; command != nil {
			return finish(command(args[1:], os.Stdout))
		}
	}
	if slices.ContainsFunc(args, isVersus) {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return finish(versusCommand(ctx, args, os.Stdout))
	}
	o, err := parseOptions(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return finish(printed(io.WriteString(os.Stdout, usage)))
	case err != nil:
		return finish(err)
	case o.version:
		return finish(printed(fmt.Println(versionLine())))
	}
	l, err := findLauncher()
	if err != nil {
		return finish(err)
	}
	if err := o.suits(l); err != nil {
		return finish(err)
	}
	// After the first signal, a second one ends this process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	switch {
	case l.found:
		return runMember(ctx, o, l)
	case o.transport == "inproc":
		return runGoroutines(ctx, o)
	}
	return runProcesses(ctx, o, args)
}

// isVersus says that an argument asks for a comparison.
func isVersus(arg string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return name == "vs" && strings.HasPrefix(arg, "-")
}

// finish prints err, if any, as one line and returns the exit status.
func finish(err error) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(os.Stderr, "arbench: %v\n", err)
	return statusOf(err)
}

// statusOf is the exit status for err.
func statusOf(err error) int {
	var u *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &u):
		return exitUsage
	}
	return exitFailed
}

// printed drops the count that print functions return.
func printed(_ int, err error) error { return err }

// usageError says what makes no sense and how to fix it.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

func misused(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}
