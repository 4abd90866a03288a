package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// join gathers as rank of ranks, under time limit.
func join(s Store, rank, ranks int, limit time.Duration, progress func(int, []int)) ([][]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return Gather(ctx, s, GatherConfig{
		Prefix: "m/", Rank: rank, Ranks: ranks, Who: fmt.Sprintf("host-%d pid 7", rank),
		Value: fmt.Append(nil, "value ", rank), Progress: progress,
	})
}

func TestGather(t *testing.T) {
	const ranks = 12
	m := NewMemory()
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			values, err := join(m.Client(), rank, ranks, time.Minute, nil)
			if err != nil {
				t.Error(err)
			}
			for r, v := range values {
				if string(v) != fmt.Sprint("value ", r) {
					t.Errorf("rank %d has %q of rank %d", rank, v, r)
				}
			}
		})
	}
	all.Wait()
}

func TestGatherReportsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory()
		go func() {
			time.Sleep(5 * time.Second)
			join(m, 2, 3, time.Minute, nil)
		}()
		go join(m, 1, 3, time.Minute, nil)
		start := time.Now()
		var got []string
		_, err := join(m, 0, 3, time.Minute, func(joined int, missing []int) {
			got = append(got, fmt.Sprint(time.Since(start), joined, missing))
		})
		want := []string{"2s 2 [2]", "4s 2 [2]", "5s 3 []"}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("progress %q, %v; want %q", got, err, want)
		}
	})
}

func TestGatherNamesTheMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory()
		var all sync.WaitGroup
		for _, rank := range []int{0, 1, 2, 4, 5, 6} {
			all.Go(func() {
				_, err := join(m, rank, 8, 9*time.Second, nil)
				var missing *MissingError
				if !errors.As(err, &missing) || err.Error() != "6 of 8 joined; missing 3, 7: context deadline exceeded" || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("rank %d: %v", rank, err)
				}
			})
		}
		all.Wait()
	})
}

func TestGatherTellsAllOfADuplicateRank(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory()
		start := time.Now()
		var all sync.WaitGroup
		for i, rank := range []int{0, 1, 1} {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				_, err := Gather(t.Context(), m, GatherConfig{Rank: rank, Ranks: 3, Who: fmt.Sprint("process ", i)})
				var duplicate *DuplicateRankError
				if !errors.As(err, &duplicate) || *duplicate != (DuplicateRankError{1, "process 1", "process 2"}) {
					t.Errorf("process %d: %v", i, err)
				}
			})
		}
		all.Wait()
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("they waited %v for a rank that cannot come", took)
		}
	})
}

func TestGatherComparesWorldSizes(t *testing.T) {
	m := NewMemory()
	first := make(chan error, 1)
	go func() {
		_, err := join(m, 0, 8, time.Minute, nil)
		first <- err
	}()
	_, err := join(m, 1, 4, time.Minute, nil)
	for _, err := range []error{err, <-first} {
		if err == nil || !strings.Contains(err.Error(), "counts 8") || !strings.Contains(err.Error(), "counts 4") {
			t.Errorf("got %v", err)
		}
	}
}

func TestGatherErrors(t *testing.T) {
	for _, g := range []GatherConfig{{}, {Rank: -1, Ranks: 2}, {Rank: 2, Ranks: 2}} {
		if _, err := Gather(t.Context(), NewMemory(), g); err == nil {
			t.Errorf("rank %d of %d gathered", g.Rank, g.Ranks)
		}
	}
	closed := NewMemory()
	closed.Close()
	if _, err := join(closed, 0, 2, time.Minute, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	foreign := NewMemory()
	foreign.Put(t.Context(), "m/1", []byte("?"))
	if _, err := join(foreign, 0, 2, time.Minute, nil); !errors.Is(err, errMember) {
		t.Errorf("got %v", err)
	}
}

func TestMissingSentence(t *testing.T) {
	odd := make([]int, 100)
	for i := range odd {
		odd[i] = 2*i + 1
	}
	for _, test := range []struct {
		ranks   int
		missing []int
		want    string
	}{
		{8, nil, "8 of 8 joined"},
		{8, []int{3, 7}, "6 of 8 joined; missing 3, 7"},
		{8, []int{3, 4, 5, 7}, "4 of 8 joined; missing 3-5, 7"},
		{8, []int{3, 4}, "6 of 8 joined; missing 3, 4"},
		{1000, rangeOf(1, 1000), "1 of 1000 joined; missing 1-999"},
		{200, odd, "100 of 200 joined; missing 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31 and 84 more"},
	} {
		if got := MissingSentence(test.ranks, test.missing); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func rangeOf(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}
