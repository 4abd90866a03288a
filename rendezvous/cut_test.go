package rendezvous

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestMissingErrorSaysWhy(t *testing.T) {
	why := errors.New("the program was told to stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	for _, test := range []struct {
		missing []int
		want    string
	}{
		{[]int{1}, "2 of 3 joined; missing 1: the program was told to stop"},
		{nil, "all 3 joined, but the program was told to stop"},
	} {
		err := &MissingError{Ranks: 3, Missing: test.missing, Err: because(ctx)}
		if err.Error() != test.want || !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Errorf("got %q, want %q", err, test.want)
		}
	}
}

// The rank that serves the store may give up first. The others then know as
// well who was missing.
func TestGatherNamesTheMissingOfAStoreThatEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory()
		time.AfterFunc(5*time.Second, func() { m.Close() })
		time.AfterFunc(3*time.Second, func() { join(m, 1, 4, time.Second, nil) })
		time.AfterFunc(time.Second, func() { join(m, 0, 4, time.Minute, nil) })
		_, err := join(m, 3, 4, time.Minute, nil)
		if !errors.Is(err, ErrClosed) || !strings.HasPrefix(err.Error(), "3 of 4 joined; missing 2; ") {
			t.Errorf("got %v", err)
		}
	})
}

func TestDuplicateRankNamesTheDirectory(t *testing.T) {
	f := openTest(t, t.TempDir())
	f.Put(t.Context(), "0", newMember(2, "an earlier run", nil).encode())
	_, err := Gather(t.Context(), f, GatherConfig{Ranks: 2})
	var duplicate *DuplicateRankError
	if !errors.As(err, &duplicate) || !strings.Contains(err.Error(), f.dir) {
		t.Errorf("got %v", err)
	}
}

func TestNextPoll(t *testing.T) {
	for _, test := range []struct{ pause, waited, want time.Duration }{
		{firstPoll, 0, 2 * firstPoll},
		{lastPoll, time.Second, lastPoll},
		{lastPoll, longWait + 1, 2 * lastPoll},
		{idlePoll, time.Hour, idlePoll},
	} {
		if got := nextPoll(test.pause, test.waited); got != test.want {
			t.Errorf("after %v and %v: %v, want %v", test.pause, test.waited, got, test.want)
		}
	}
}

func TestStoreFromEnv(t *testing.T) {
	for _, test := range []struct {
		env  string
		rank int
		want Launch
	}{
		{"", 0, Launch{}},
		{torchrun, 0, Launch{}},
		{"RINGO_STORE=tcp://h:1 RINGO_TOKEN=t", 0, Launch{Store: "tcp://h:1", Serve: true, Token: []byte("t")}},
		{"RINGO_STORE=tcp://h:1 RINGO_SERVE=false", 0, Launch{Store: "tcp://h:1"}},
		{"RINGO_STORE=tcp://h:1 RINGO_SERVE=1", 1, Launch{Store: "tcp://h:1", Serve: true}},
		{"RINGO_STORE=file:///d RINGO_SERVE=1", 1, Launch{Store: "file:///d"}},
	} {
		got, err := StoreFromEnv(env(test.env).get, test.rank, 2)
		test.want.Rank, test.want.Ranks = test.rank, 2
		if err != nil || got.Store != test.want.Store || got.Serve != test.want.Serve || string(got.Token) != string(test.want.Token) ||
			got.Rank != test.rank || got.Ranks != 2 {
			t.Errorf("%q: got %+v, %v", test.env, got, err)
		}
	}
	for _, text := range []string{"RINGO_STORE=x", "RINGO_STORE=tcp://h:1 RINGO_SERVE=maybe", "RINGO_TOKEN=a RINGO_TOKEN_FILE=b"} {
		if got, err := StoreFromEnv(env(text).get, 0, 2); err == nil {
			t.Errorf("%q: got %+v", text, got)
		}
	}
	if got, err := StoreFromEnv(env("").get, 2, 2); err == nil {
		t.Errorf("rank 2 of 2: got %+v", got)
	}
}
