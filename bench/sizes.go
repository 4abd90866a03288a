package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/docker/go-units"
)

// firstAfterZero is the size that follows 0 when sizes grow by a factor.
const firstAfterZero = 4

// Sizes is the series of message sizes that a run measures, in bytes: First,
// then times Factor, or plus Step where Step is not 0, up to and including
// Last. Where Listed is not empty, it is the series, and the rest has no meaning.
type Sizes struct {
	First, Last  int
	Factor, Step int
	Listed       []int
}

// ListSizes is the series of the sizes in list, in ascending order.
func ListSizes(list []int) Sizes {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	if len(list) == 0 {
		return Sizes{}
	}
	return Sizes{First: list[0], Last: list[len(list)-1], Listed: list}
}

// Validate says in one sentence what is wrong with s, if anything.
func (s Sizes) Validate() error {
	switch {
	case s.First < 0 || s.Last < 0:
		return fmt.Errorf("sizes must not be negative")
	case s.Last < s.First:
		return fmt.Errorf("the last size %s is smaller than the first size %s", FormatSize(s.Last), FormatSize(s.First))
	case len(s.Listed) > 0:
		return nil
	case s.Step < 0:
		return fmt.Errorf("the step between sizes must not be negative")
	case s.Step == 0 && s.Factor < 2:
		return fmt.Errorf("the factor between sizes must be at least 2, not %d", s.Factor)
	}
	return nil
}

// List returns the sizes in ascending order. A series that starts at 0 and
// grows by a factor goes on at 4 bytes.
func (s Sizes) List() []int {
	if len(s.Listed) > 0 {
		return slices.Clone(s.Listed)
	}
	var list []int
	for n := s.First; n <= s.Last; {
		list = append(list, n)
		next, ok := s.next(n)
		if !ok {
			break
		}
		n = next
	}
	return list
}

// next is the size after n; false when it would not fit an int.
func (s Sizes) next(n int) (int, bool) {
	switch {
	case s.Step > 0:
		return n + s.Step, n <= math.MaxInt-s.Step
	case n == 0:
		return firstAfterZero, true
	}
	return n * s.Factor, n <= math.MaxInt/s.Factor
}

// ParseSize reads a size in bytes with an optional binary suffix: 512, 64K,
// 1.5M, 2GiB.
func ParseSize(text string) (int, error) {
	text = strings.TrimSpace(text)
	n, err := units.RAMInBytes(text)
	if err != nil || !wellFormed(text) {
		return 0, fmt.Errorf("%q is not a size; write a number of bytes with an optional suffix K, M or G (binary), such as 64K", text)
	}
	if n < 0 || n > math.MaxInt {
		return 0, fmt.Errorf("the size %s does not fit into memory", text)
	}
	return int(n), nil
}

// wellFormed refuses what the size library lets through: signs, exponents,
// spaces inside, and numbers without digits.
func wellFormed(text string) bool {
	if text == "" || text[0] < '0' || text[0] > '9' {
		return false
	}
	number := strings.TrimRight(text, "kKmMgGtTpPiIbB")
	value, err := strconv.ParseFloat(number, 64)
	return err == nil && !strings.ContainsAny(number, "eExXpP_ ") && value < math.MaxInt64
}

// FormatSize writes n as ParseSize reads it: with the largest binary suffix
// that leaves a whole number.
func FormatSize(n int) string {
	for _, u := range []struct {
		suffix string
		bytes  int
	}{{"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return strconv.Itoa(n/u.bytes) + u.suffix
		}
	}
	return strconv.Itoa(n)
}
