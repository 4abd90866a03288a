package testenv_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ringo-ccl/ringo/internal/testenv"
)

// verdict is a testing.TB that remembers how a test was ended.
type verdict struct {
	testing.TB
	said string
}

func (v *verdict) Helper()                   {}
func (v *verdict) Fatalf(f string, a ...any) { v.said = "fail: " + fmt.Sprintf(f, a...) }
func (v *verdict) Skipf(f string, a ...any)  { v.said = "skip: " + fmt.Sprintf(f, a...) }

func TestNeed(t *testing.T) {
	missing := errors.New("no such device")
	for _, c := range []struct {
		require string
		probe   error
		want    string
	}{
		{"", nil, ""},
		{"rdma", nil, ""},
		{"", missing, "skip: needs rdma: no such device"},
		{"cuda,rdmax", missing, "skip: needs rdma: no such device"},
		{"cuda, rdma", missing, "fail: AR_REQUIRE lists rdma, but: no such device"},
	} {
		t.Setenv("AR_REQUIRE", c.require)
		v := &verdict{TB: t}
		testenv.Need(v, "rdma", func() error { return c.probe })
		if v.said != c.want {
			t.Errorf("AR_REQUIRE=%q, probe %v: %q, want %q", c.require, c.probe, v.said, c.want)
		}
	}
}
