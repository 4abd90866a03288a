package archtest

// root is the path of the repository's root module; a package's place in the
// lattice is its directory.
const root = "github.com/ringo-ccl/ringo"

// lattice lists, for each package of the repository, the packages of the
// repository that it may import. Arrows are not transitive, what is not listed
// is denied, and a package that is not listed at all is an offence.
var lattice = map[string][]string{
	// Leaves.
	"mem":               {},
	"schedule":          {},
	"internal/archtest": {},
	"internal/auth":     {},
	"internal/leak":     {},
	"internal/testenv":  {},
	"internal/wire":     {},

	// What decides.
	"choose": {"schedule"},

	// What moves, computes and finds each other.
	"reduce":                    {"mem"},
	"reduce/_asm":               {},
	"reduce/reducetest":         {"mem", "reduce"},
	"rendezvous":                {"internal/auth"},
	"rendezvous/rendezvoustest": {"rendezvous", "internal/leak"},
	"transport":                 {"mem"},
	"transport/transporttest":   {"mem", "transport", "internal/leak"},
	"transport/inproc":          {"mem", "transport", "internal/wire", "internal/leak", "internal/auth"},
	"transport/stream":          {"mem", "transport", "internal/wire", "internal/auth"},
	"transport/tcp":             {"transport", "transport/stream"},
	"transport/shm":             {"mem", "transport", "transport/stream"},

	// What puts them together.
	"pipeline":           {"mem", "schedule", "reduce", "transport"},
	"allreduce/defaults": {"transport", "transport/shm", "transport/tcp"},
	"allreduce": {"mem", "schedule", "reduce", "transport", "rendezvous", "pipeline", "choose",
		"allreduce/defaults", "internal/wire"},

	// What measures them.
	"bench":        {"schedule", "rendezvous", "reduce", "mem", "allreduce"},
	"bench/versus": {"bench"},
	"cmd/arbench":  {anything},
}

// anything, in place of a package, permits every import.
const anything = "*"

// testLattice lists what the test files of a package may import beyond its
// entry in lattice, itself and testSuites.
var testLattice = map[string][]string{
	"allreduce":               {"transport/inproc", "transport/shm", "transport/tcp"},
	"bench":                   {"transport", "transport/inproc"},
	"pipeline":                {"transport/inproc"},
	"transport/tcp":           {"mem", "internal/auth", "internal/wire"},
	"transport/transporttest": {"transport/inproc"},
}

// testSuites are what every test file may import.
var testSuites = []string{
	"internal/leak",
	"internal/testenv",
	"reduce/reducetest",
	"rendezvous/rendezvoustest",
	"transport/transporttest",
}

// mayUseC lists the packages that may import "C".
var mayUseC = []string{"cuda", "verbs/internal/ibv"}
