package stream

import (
	"fmt"
	"hash/fnv"
	"os"
	"strings"
)

// HostID names this machine and network namespace: two containers on one
// machine share neither a loopback interface nor abstract unix sockets. It holds
// no '|' and no ','.
func HostID() string {
	name, _ := os.Hostname()
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return clean(name)
	}
	ns, _ := os.Readlink("/proc/self/ns/net")
	h := fnv.New64a()
	fmt.Fprint(h, string(boot), ns)
	return clean(fmt.Sprintf("%s-%x", name, h.Sum64()))
}

// clean keeps the separators of an endpoint out of a host name.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '|' || r == ',' {
			return '_'
		}
		return r
	}, s)
}
