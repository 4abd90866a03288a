package testenv

import (
	"os"
	"strings"
	"testing"
)

// Need goes on with t when probe returns nil. Otherwise it skips t with the
// reason, or fails it when AR_REQUIRE lists capability.
func Need(t testing.TB, capability string, probe func() error) {
	t.Helper()
	err := probe()
	switch {
	case err == nil:
	case Required(capability):
		t.Fatalf("AR_REQUIRE lists %s, but: %v", capability, err)
	default:
		t.Skipf("needs %s: %v", capability, err)
	}
}

// Required reports whether AR_REQUIRE lists capability.
func Required(capability string) bool {
	for name := range strings.SplitSeq(os.Getenv("AR_REQUIRE"), ",") {
		if strings.TrimSpace(name) == capability {
			return true
		}
	}
	return false
}
