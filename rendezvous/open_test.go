package rendezvous

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ringo-ccl/ringo/internal/auth"
)

func TestOpenTCP(t *testing.T) {
	l := Launch{Ranks: 3, Store: "tcp://" + freeAddr(t), Token: []byte("t")}
	var others, all sync.WaitGroup
	others.Add(l.Ranks - 1)
	for rank := range l.Ranks {
		l := l
		l.Rank, l.Serve = rank, rank == 0
		all.Go(func() {
			s, end, err := Open(t.Context(), l, nil)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := Gather(t.Context(), s, GatherConfig{Rank: rank, Ranks: l.Ranks}); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if rank > 0 {
				others.Done()
			} else {
				others.Wait() // they need the server until here
			}
			if err := end.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestOpenFileStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b")
	var ends []func() error
	for _, rank := range []int{1, 0} {
		s, end, err := Open(t.Context(), Launch{Rank: rank, Ranks: 2, Store: fileAddress(dir)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(t.Context(), "key", nil); err != nil {
			t.Fatal(err)
		}
		s.Close()
		ends = append(ends, end.Close)
	}
	for i, exists := range []bool{true, false} { // rank 0 removes it
		if err := ends[i](); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(dir); (err == nil) != exists {
			t.Errorf("after end %d: %v", i, err)
		}
	}
}

func TestOpenAlone(t *testing.T) {
	s, end, err := Open(t.Context(), Launch{Ranks: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Gather(t.Context(), s, GatherConfig{Ranks: 1}); err != nil {
		t.Error(err)
	}
	if err := errors.Join(s.Close(), end.Close()); err != nil {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	taken, _ := serveTest(t, ServerConfig{Token: []byte("t")})
	for name, test := range map[string]struct {
		launch Launch
		word   string
	}{
		"no store":    {Launch{Ranks: 2}, "2 ranks"},
		"bad store":   {Launch{Ranks: 2, Store: "x"}, "tcp://HOST:PORT"},
		"port taken":  {Launch{Ranks: 2, Store: "tcp://" + taken.Addr(), Serve: true}, "is taken"},
		"wrong token": {Launch{Rank: 1, Ranks: 2, Store: "tcp://" + taken.Addr()}, auth.ErrToken.Error()},
		"no file":     {Launch{Ranks: 2, Store: "file:///dev/null/x"}, "/dev/null/x"},
	} {
		if _, _, err := Open(t.Context(), test.launch, nil); err == nil || !strings.Contains(err.Error(), test.word) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
