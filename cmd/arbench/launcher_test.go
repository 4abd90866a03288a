package main

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
)

// underLauncher runs arbench as both ranks of a job that env describes.
func underLauncher(t *testing.T, env func(rank int) []string, args ...string) [2]result {
	var results [2]result
	var all sync.WaitGroup
	for rank := range results {
		cmd := command(t, args...)
		cmd.Env = append(cmd.Env, env(rank)...)
		all.Go(func() { results[rank] = finished(t, cmd) })
	}
	all.Wait()
	return results
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestUnderLauncher(t *testing.T) {
	port := freePort(t)
	torchrun := func(rank int) []string {
		return []string{fmt.Sprint("RANK=", rank), "WORLD_SIZE=2", fmt.Sprint("LOCAL_RANK=", rank), "MASTER_ADDR=127.0.0.1", fmt.Sprint("MASTER_PORT=", port)}
	}
	r := underLauncher(t, torchrun, "-np", "7", "-e", "1K", "-n", "2")
	if r[0].status != 0 || len(rows(r[0].stdout)) != 1 || !strings.Contains(r[0].stdout, "# ranks: 2 ") {
		t.Errorf("rank 0: status %d\n%s%s", r[0].status, r[0].stdout, r[0].stderr)
	}
	if r[1].status != 0 || r[1].stdout != "" {
		t.Errorf("rank 1: status %d\n%s%s", r[1].status, r[1].stdout, r[1].stderr)
	}
	if !strings.Contains(r[0].stderr, "-np 7 has no effect under a launcher") || strings.Contains(r[1].stderr, "-np") {
		t.Errorf("standard error of rank 0: %s rank 1: %s", r[0].stderr, r[1].stderr)
	}
}

func TestLaunchersDisagree(t *testing.T) {
	cmd := command(t)
	cmd.Env = append(cmd.Env, "RANK=0", "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=1", "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=3")
	r := finished(t, cmd)
	if r.status != exitUsage || !strings.Contains(r.stderr, "WORLD_SIZE=2") || !strings.Contains(r.stderr, "OMPI_COMM_WORLD_SIZE=3") {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
}

func TestInprocUnderLauncher(t *testing.T) {
	cmd := command(t, "-t", "inproc")
	cmd.Env = append(cmd.Env, "RINGO_RANK=0", "RINGO_WORLD_SIZE=1")
	if r := finished(t, cmd); r.status != exitUsage || !strings.Contains(r.stderr, "use -t tcp") {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
}
