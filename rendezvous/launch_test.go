package rendezvous

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// env is an environment written as "A=1 B=2".
func env(text string) environment {
	vars := map[string]string{}
	for _, field := range strings.Fields(text) {
		name, value, _ := strings.Cut(field, "=")
		vars[name] = value
	}
	return environment{
		get:     func(name string) string { return vars[name] },
		machine: machine{tempDir: "/tmp", hostname: "train-2", uid: 1000, parent: "77@12345"},
	}
}

const (
	torchrun = "RANK=5 WORLD_SIZE=8 LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 MASTER_ADDR=node-0 MASTER_PORT=29500 "
	openmpi  = "OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=2 OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_NAMESPACE=prterun-h-9@1 "
	mpich    = "PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2 "
	batch    = "SLURM_JOB_ID=4711 SLURM_PROCID=0 SLURM_NTASKS=8 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_JOB_NODELIST=n[1-2] "
	step     = "SLURM_JOB_ID=4711 SLURM_STEP_ID=2 SLURM_PROCID=5 SLURM_STEP_NUM_TASKS=8 SLURM_NTASKS=8 SLURM_LOCALID=1 SLURM_NODEID=1 " +
		"SLURM_STEP_TASKS_PER_NODE=4(x2) SLURM_STEP_NODELIST=n[09-10],login1 "
	agents = "SLURM_JOB_ID=4711 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 SLURM_LOCALID=0 SLURM_NODEID=1 " +
		"SLURM_STEP_TASKS_PER_NODE=1(x2) SLURM_STEP_NODELIST=n[09-10] "
	pod = "JOB_COMPLETION_INDEX=2 RINGO_WORLD_SIZE=3 RINGO_SERVICE=ring.jobs.svc "
)

func TestFromEnv(t *testing.T) {
	openmpiDir := fileAddress(env("").machine.jobDir("prterun-h-9@1"))
	mpichDir := fileAddress(env("").machine.jobDir(""))
	for _, test := range []struct {
		name, env string
		want      Launch
	}{
		{"torchrun", torchrun, Launch{Launcher: "torchrun", Rank: 5, Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://node-0:29500"}},
		{"torchrun rank 0", torchrun + "RANK=0", Launch{Launcher: "torchrun", Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://node-0:29500", Serve: true}},
		{"torchrun agent store", torchrun + "TORCHELASTIC_USE_AGENT_STORE=True", Launch{Launcher: "torchrun", Rank: 5, Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://node-0:29501"}},
		{"torchrun worker store", torchrun + "TORCHELASTIC_USE_AGENT_STORE=False", Launch{Launcher: "torchrun", Rank: 5, Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://node-0:29500"}},
		{"torchrun IPv6", torchrun + "MASTER_ADDR=fd00::1", Launch{Launcher: "torchrun", Rank: 5, Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://[fd00::1]:29500"}},
		{"torchrun of one", "RANK=0 WORLD_SIZE=1", Launch{Launcher: "torchrun", Ranks: 1}},
		{"torchrun under srun", torchrun + agents + "TORCHELASTIC_RUN_ID=x", Launch{Launcher: "torchrun", Rank: 5, Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://node-0:29500"}},
		{"torchrun under srun, one per node", torchrun + agents + "WORLD_SIZE=2 RANK=0 LOCAL_RANK=0 LOCAL_WORLD_SIZE=1 TORCHELASTIC_RUN_ID=x",
			Launch{Launcher: "torchrun", Rank: 0, Ranks: 2, LocalRanks: 1, Store: "tcp://node-0:29500", Serve: true}},
		{"torchrun in a pod", torchrun + "JOB_COMPLETION_INDEX=1", Launch{Launcher: "torchrun", Rank: 5, Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://node-0:29500"}},
		{"openmpi", openmpi, Launch{Launcher: "openmpi", Rank: 2, Ranks: 4, LocalRank: 2, LocalRanks: 4, Store: openmpiDir}},
		{"openmpi on two hosts", openmpi + "OMPI_COMM_WORLD_SIZE=8 RINGO_STORE=tcp://h:1", Launch{Launcher: "openmpi", Rank: 2, Ranks: 8, LocalRank: 2, LocalRanks: 4, Store: "tcp://h:1"}},
		{"openmpi in a batch script", openmpi + batch, Launch{Launcher: "openmpi", Rank: 2, Ranks: 4, LocalRank: 2, LocalRanks: 4, Store: openmpiDir}},
		{"openmpi by daemons of a step", openmpi + agents, Launch{Launcher: "openmpi", Rank: 2, Ranks: 4, LocalRank: 2, LocalRanks: 4, Store: openmpiDir}},
		{"mpich", mpich, Launch{Launcher: "mpich", Rank: 1, Ranks: 2, LocalRank: 1, LocalRanks: 2, Store: mpichDir}},
		{"mpich by srun", step + "PMI_RANK=5 PMI_SIZE=8", Launch{Launcher: "mpich", Rank: 5, Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://n09:28043"}},
		{"slurm", step, Launch{Launcher: "slurm", Rank: 5, Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://n09:28043"}},
		{"slurm rank 0", step + "SLURM_PROCID=0 SLURM_NODEID=0", Launch{Launcher: "slurm", Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://n09:28043", Serve: true}},
		{"slurm without step size", step + "SLURM_STEP_NUM_TASKS= SLURM_NODEID=", Launch{Launcher: "slurm", Rank: 5, Ranks: 8, Store: "tcp://n09:28043"}},
		{"kubernetes", pod, Launch{Launcher: "kubernetes", Rank: 2, Ranks: 3, Store: "tcp://train-0.ring.jobs.svc:29000"}},
		{"kubernetes with port and job", pod + "RINGO_SERVICE=ring:99 JOB_NAME=j", Launch{Launcher: "kubernetes", Rank: 2, Ranks: 3, Store: "tcp://j-0.ring:99"}},
		{"own", "RINGO_RANK=0 RINGO_WORLD_SIZE=2 RINGO_STORE=tcp://[::1]:77 RINGO_TOKEN=abc", Launch{Launcher: "ringo", Ranks: 2, Store: "tcp://[::1]:77", Serve: true, Token: []byte("abc")}},
		{"own, served elsewhere", "RINGO_RANK=0 RINGO_WORLD_SIZE=2 RINGO_STORE=tcp://h:77 RINGO_SERVE=false", Launch{Launcher: "ringo", Ranks: 2, Store: "tcp://h:77"}},
		{"own directory", "RINGO_RANK=0 RINGO_WORLD_SIZE=2 RINGO_STORE=file:///a/b", Launch{Launcher: "ringo", Ranks: 2, Store: "file:///a/b"}},
		{"own wins", openmpi + torchrun + "RINGO_RANK=5 RINGO_WORLD_SIZE=8", Launch{Launcher: "ringo", Rank: 5, Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://node-0:29500"}},
		{"own wins over nonsense", "RANK=x RINGO_RANK=0 RINGO_WORLD_SIZE=1", Launch{Launcher: "ringo", Ranks: 1}},
		{"agreeing launchers", step + torchrun, Launch{Launcher: "torchrun", Rank: 5, Ranks: 8, LocalRank: 1, LocalRanks: 4, Store: "tcp://node-0:29500"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, found, err := fromEnv(env(test.env))
			if err != nil || !found || !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %+v, %v, %v\nwant %+v", got, found, err, test.want)
			}
		})
	}
}

func TestFromEnvNoLauncher(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                 "",
		"a batch script":          batch,
		"a named batch step":      batch + "SLURM_STEP_ID=batch",
		"a numbered batch step":   batch + "SLURM_STEP_ID=4294967291",
		"an interactive step":     batch + "SLURM_STEP_ID=4294967290",
		"a shell of one task":     step + "SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=1 SLURM_STEP_NUM_TASKS=1",
		"a store and a token":     "RINGO_STORE=tcp://h:1 RINGO_TOKEN=t",
		"a world size of torch's": "WORLD_SIZE=4 MASTER_ADDR=h",
	} {
		if got, found, err := fromEnv(env(text)); found || err != nil {
			t.Errorf("%s: %+v, %v, %v", name, got, found, err)
		}
	}
}

func TestFromEnvErrors(t *testing.T) {
	for _, test := range []struct {
		name, env string
		words     []string
	}{
		{"no number", torchrun + "RANK=five", []string{"RANK=five"}},
		{"negative", torchrun + "RANK=-1", []string{"RANK=-1"}},
		{"huge", torchrun + "WORLD_SIZE=99999999999", []string{"WORLD_SIZE=99999999999"}},
		{"rank too high", torchrun + "RANK=8", []string{"RANK=8", "WORLD_SIZE=8"}},
		{"no ranks", torchrun + "WORLD_SIZE=0", []string{"RANK=5", "WORLD_SIZE=0"}},
		{"local rank too high", torchrun + "LOCAL_RANK=4", []string{"LOCAL_RANK=4", "LOCAL_WORLD_SIZE=4"}},
		{"no size", "RANK=3", []string{"RANK=3", "WORLD_SIZE"}},
		{"no master", torchrun + "MASTER_ADDR=", []string{"torchrun", "MASTER_ADDR", "RINGO_STORE"}},
		{"bad master port", torchrun + "MASTER_PORT=65536", []string{"MASTER_PORT=65536"}},
		{"last port is the agent's", torchrun + "MASTER_PORT=65535 TORCHELASTIC_USE_AGENT_STORE=True", []string{"MASTER_PORT=65535"}},
		{"bad master host", torchrun + "MASTER_ADDR=a/b", []string{"torchrun", "RINGO_STORE"}},
		{"several hosts", openmpi + "OMPI_COMM_WORLD_SIZE=8", []string{"OMPI_COMM_WORLD_SIZE=8", "OMPI_COMM_WORLD_LOCAL_SIZE=4", "RINGO_STORE"}},
		{"mpich on several hosts", "PMI_RANK=0 PMI_SIZE=2", []string{"mpich", "MPI_LOCALNRANKS are set", "RINGO_STORE"}},
		{"two launchers", openmpi + step, []string{"OMPI_COMM_WORLD_RANK=2", "SLURM_PROCID=5", "openmpi", "slurm", "RINGO_RANK", "unset"}},
		{"own rank alone disagrees", torchrun + "RINGO_RANK=1", []string{"RINGO_RANK=1", "RANK=5", "torchrun"}},
		{"own size alone disagrees", torchrun + "RINGO_WORLD_SIZE=4", []string{"RINGO_WORLD_SIZE=4", "WORLD_SIZE=8", "torchrun"}},
		{"own rank alone", "RINGO_RANK=1", []string{"RINGO_RANK=1", "RINGO_WORLD_SIZE"}},
		{"own size alone", "RINGO_WORLD_SIZE=4", []string{"RINGO_WORLD_SIZE=4", "RINGO_RANK"}},
		{"own rank too high", "RINGO_RANK=4 RINGO_WORLD_SIZE=4", []string{"RINGO_RANK=4", "RINGO_WORLD_SIZE=4"}},
		{"own without a store", "RINGO_RANK=1 RINGO_WORLD_SIZE=4", []string{"RINGO_RANK=1", "RINGO_STORE"}},
		{"own wins but has no store", torchrun + "RINGO_RANK=1 RINGO_WORLD_SIZE=8", []string{"RINGO_RANK=1", "RINGO_STORE"}},
		{"bad store", torchrun + "RINGO_STORE=redis://h", []string{"RINGO_STORE=redis://h", "tcp://HOST:PORT"}},
		{"bad serve", torchrun + "RINGO_STORE=tcp://h:1 RINGO_SERVE=maybe", []string{"RINGO_SERVE=maybe"}},
		{"two tokens", torchrun + "RINGO_TOKEN=a RINGO_TOKEN_FILE=b", []string{"RINGO_TOKEN", "RINGO_TOKEN_FILE"}},
		{"bad node list", step + "SLURM_STEP_NODELIST=n[", []string{"SLURM_STEP_NODELIST=n["}},
		{"bad job id", step + "SLURM_JOB_ID=x", []string{"SLURM_JOB_ID=x"}},
		{"pod without size", "JOB_COMPLETION_INDEX=1", []string{"JOB_COMPLETION_INDEX=1", "RINGO_WORLD_SIZE"}},
		{"pod without service", pod + "RINGO_SERVICE=", []string{"RINGO_SERVICE", "RINGO_STORE"}},
		{"pod with bad service", pod + "RINGO_SERVICE=ring:0", []string{"RINGO_SERVICE=ring:0"}},
		{"pod with another name", pod + "JOB_COMPLETION_INDEX=1", []string{"train-2", "JOB_NAME"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := fromEnv(env(test.env))
			if err == nil {
				t.Fatalf("got %+v", got)
			}
			for _, word := range test.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q lacks %q", err, word)
				}
			}
		})
	}
}

func TestTokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	os.WriteFile(file, []byte("secret\n"), 0o600)
	own := "RINGO_RANK=0 RINGO_WORLD_SIZE=1 RINGO_TOKEN_FILE=" + file
	if l, _, err := fromEnv(env(own)); err != nil || string(l.Token) != "secret" {
		t.Errorf("got %q, %v", l.Token, err)
	}
	if _, _, err := fromEnv(env(own + "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	os.WriteFile(file, []byte("\n"), 0o600)
	if _, _, err := fromEnv(env(own)); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v", err)
	}
}

func TestJobDir(t *testing.T) {
	m := machine{tempDir: "/tmp", uid: 1, parent: "7@1"}
	dirs := map[string]bool{}
	for _, change := range []func(*machine) string{
		func(m *machine) string { return m.jobDir("") },
		func(m *machine) string { return m.jobDir("a") },
		func(m *machine) string { return m.jobDir("b") },
		func(m *machine) string { m.parent = "7@2"; return m.jobDir("") },
		func(m *machine) string { m.parent = "7@2"; return m.jobDir("a") }, // a name that repeats
		func(m *machine) string { m.uid = 2; return m.jobDir("") },
	} {
		other := m
		dirs[change(&other)] = true
	}
	if len(dirs) != 6 {
		t.Errorf("some share a directory: %v", maps.Keys(dirs))
	}
	if first, again := thisMachine().parent, thisMachine().parent; first != again {
		t.Errorf("the parent was %q and is %q", first, again)
	}
	if first, again := m.jobDir("a"), m.jobDir("a"); first != again {
		t.Error("a job's directory changes")
	}
}

func TestFromEnvOfThisProcess(t *testing.T) {
	get := env(openmpi).get
	a, found, err := FromEnv(get)
	b, _, _ := FromEnv(get)
	if err != nil || !found || a.Store != b.Store || !strings.HasPrefix(a.Store, "file:///") {
		t.Errorf("%+v, %+v, %v", a, b, err)
	}
}
