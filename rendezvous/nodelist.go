package rendezvous

import (
	"errors"
	"fmt"
	"strings"
)

// firstHost is the first host of a Slurm host list: "node01" of
// "node[01-03,07],login1". A name may hold several brackets, and text after
// them; the first of each counts.
func firstHost(list string) (string, error) {
	var host strings.Builder
	rest := list
	for rest != "" && rest[0] != ',' {
		if rest[0] != '[' {
			if !hostByte(rest[0]) {
				return "", fmt.Errorf("%q is in no host name", rest[0])
			}
			host.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		inside, after, ok := strings.Cut(rest[1:], "]")
		if !ok {
			return "", errors.New("a bracket has no end")
		}
		first, err := firstNumber(inside)
		if err != nil {
			return "", err
		}
		host.WriteString(first)
		rest = after
	}
	if host.Len() == 0 {
		return "", errors.New("it begins with no host name")
	}
	return host.String(), nil
}

// firstNumber is the first number, with its zeros, of "01-03,07".
func firstNumber(ranges string) (string, error) {
	first, _, _ := strings.Cut(ranges, ",")
	from, to, isRange := strings.Cut(first, "-")
	if !digits(from) || isRange && !digits(to) {
		return "", fmt.Errorf("[%s] does not begin with a number or a range", ranges)
	}
	return from, nil
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// hostByte may stand in a host name.
func hostByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_'
}
