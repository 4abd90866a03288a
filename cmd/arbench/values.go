package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/ringo-ccl/ringo/allreduce"
	"github.com/ringo-ccl/ringo/bench"
	"github.com/ringo-ccl/ringo/choose"
	"github.com/ringo-ccl/ringo/reduce"
	"github.com/ringo-ccl/ringo/transport/tcp"
)

// collectives names what -C takes besides all.
var collectives = choice{
	noun:      "collective",
	available: []string{"allreduce", "reducescatter", "allgather", "broadcast", "barrier"},
	planned:   []string{"reduce", "alltoall", "gather", "scatter"},
}

// The functions below make setters for flags.

func sizeInto(to *int) func(string) error {
	return func(text string) (err error) {
		*to, err = bench.ParseSize(text)
		return err
	}
}

// parseSizes reads sizes separated by commas.
func parseSizes(text string) (list []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := bench.ParseSize(word)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func switchInto(to *bool) func(string) error {
	return func(text string) (err error) {
		if *to, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("give 0 or 1")
		}
		return nil
	}
}

func opsInto(to *[]reduce.Op) func(string) error {
	return func(name string) error {
		if name == "all" {
			*to = reduce.Ops()
			return nil
		}
		op, err := reduce.ParseOp(name)
		*to = []reduce.Op{op}
		return err
	}
}

func typesInto(to *[]reduce.Type) func(string) error {
	return func(name string) error {
		if name == "all" {
			*to = reduce.Types()
			return nil
		}
		t, err := reduce.ParseType(name)
		*to = []reduce.Type{t}
		return err
	}
}

func collectivesInto(to *[]bench.Collective) func(string) error {
	return func(name string) error {
		if name == "all" {
			*to = bench.Collectives()
			return nil
		}
		*to = []bench.Collective{bench.Collective(name)}
		return collectives.check(name)
	}
}

func modeInto(to *bench.Mode) func(string) error {
	return func(name string) (err error) {
		*to, err = bench.ParseMode(name)
		return err
	}
}

func memoryInto(to *bench.Kind) func(string) error {
	return func(name string) (err error) {
		*to, err = bench.ParseKind(name)
		return err
	}
}

func onOffInto(to *allreduce.Switch) func(string) error {
	return func(word string) error {
		switch word {
		case "on":
			*to = allreduce.On
		case "off":
			*to = allreduce.Off
		default:
			return fmt.Errorf("give on or off")
		}
		return nil
	}
}

func profileInto(to **choose.Profile) func(string) error {
	return func(file string) error {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		*to, err = choose.Parse(text)
		return err
	}
}

func portsInto(to *tcp.PortRange) func(string) error {
	return func(text string) (err error) {
		*to, err = tcp.ParsePortRange(text)
		return err
	}
}
