package rendezvous

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A child of the test plays the part that is killed.
func TestMain(m *testing.M) {
	switch os.Getenv("RENDEZVOUS_TEST_PART") {
	case "server":
		s, err := Serve(context.Background(), "127.0.0.1:0", ServerConfig{})
		fmt.Println(s.Addr(), err)
		select {}
	case "client":
		s, err := Dial(context.Background(), os.Getenv("RENDEZVOUS_TEST_ADDR"), nil)
		if err == nil {
			err = s.Will(context.Background(), "will", []byte("final"))
		}
		fmt.Println("ready", err)
		select {}
	}
	os.Exit(m.Run())
}

// play starts a part in a child and returns the first word it says, and what
// kills it.
func play(t *testing.T, part, addr string) (word string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RENDEZVOUS_TEST_PART="+part, "RENDEZVOUS_TEST_ADDR="+addr)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	t.Cleanup(kill)
	var failed string
	if _, err := fmt.Fscanln(out, &word, &failed); err != nil || failed != "<nil>" {
		t.Fatalf("the %s said %q %q, %v", part, word, failed, err)
	}
	return word, kill
}

func TestServerKilled(t *testing.T) {
	addr, kill := play(t, "server", "")
	c := dialTest(t, addr, "")
	got := make(chan error, 1)
	go func() {
		_, err := c.Get(context.Background(), "never")
		got <- err
	}()
	c.Put(t.Context(), "early", nil)
	kill()
	if err := <-got; !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), addr) {
		t.Errorf("Get says %v", err)
	}
	if err := c.Will(t.Context(), "key", nil); !errors.Is(err, ErrLost) {
		t.Errorf("Will says %v", err)
	}
}

func TestClientKilled(t *testing.T) {
	s, lines := serveTest(t, ServerConfig{})
	_, kill := play(t, "client", s.Addr())
	heir := dialTest(t, s.Addr(), "")
	kill()
	if will, err := heir.Get(t.Context(), "will"); string(will) != "final" {
		t.Errorf("got %q, %v", will, err)
	}
	lines.next(t, "lost a client", "will=true")
}
