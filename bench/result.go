package bench

import (
	"math"
	"time"
)

// SchemaVersion is the version of the JSON document. It grows when a name is
// removed or changes its meaning, not when one is added.
const SchemaVersion = 1

// Report is everything that a run found; its JSON form uses nccl-tests' names.
type Report struct {
	SchemaVersion       int         `json:"schema_version"`
	Config              Setup       `json:"config"`
	Results             []Result    `json:"results"`
	OutOfBounds         OutOfBounds `json:"out_of_bounds"`
	AverageBusBandwidth Average     `json:"average_bus_bandwidth"`
	Errors              []string    `json:"errors"`
}

// Setup says what was measured, where and how.
type Setup struct {
	Program    string    `json:"program"`
	Library    string    `json:"library"`
	Go         string    `json:"go"`
	Started    time.Time `json:"started"`
	Ranks      int       `json:"ranks"`
	Hosts      []string  `json:"hosts"` // by rank
	Transport  string    `json:"transport"`
	Why        string    `json:"transport_why"`
	Algorithm  string    `json:"algorithm"`
	SubChunk   int       `json:"subchunk_bytes"`
	Depth      int       `json:"depth"`
	Conns      int       `json:"conns"`
	Mode       Mode      `json:"mode"`
	MinBytes   int       `json:"min_bytes"`
	MaxBytes   int       `json:"max_bytes"`
	Factor     int       `json:"factor"`
	StepBytes  int       `json:"step_bytes"`
	Iterations int       `json:"iters"`
	WarmUp     int       `json:"warmup_iters"`
	Exact      bool      `json:"exact_iters"` // not fewer for large sizes
	Check      bool      `json:"check"`
	Seed       uint64    `json:"seed"`
	Units      Units     `json:"units"`
}

// Units spells out the units of a Report's numbers.
type Units struct {
	Size      string `json:"size"`
	Time      string `json:"time"`
	Bandwidth string `json:"bandwidth"`
}

// ReportUnits are the units that every Report uses.
var ReportUnits = Units{Size: "bytes", Time: "us", Bandwidth: "GB/s (10^9 bytes per second)"}

// Result is one row: one collective, type, operator and size.
type Result struct {
	Size       int       `json:"size"`  // bytes; the whole array for ReduceScatter and AllGather
	Count      int       `json:"count"` // elements; of one rank's block for those two
	Type       string    `json:"type"`
	Op         string    `json:"redop"`
	Root       int       `json:"root"`
	OutOfPlace Placement `json:"out_of_place"`
	InPlace    Placement `json:"in_place"`
	Iterations int       `json:"actual_iterations"`
	Collective string    `json:"collective"`
	Ranks      int       `json:"ranks"`
	Transport  string    `json:"transport"`
	Algorithm  string    `json:"algorithm"`
	Mode       Mode      `json:"mode"`
	Quantiles            // of the in-place iterations
	// CPU is the processor time in microseconds that all ranks together used per
	// in-place iteration, waiting included.
	CPU float64 `json:"cpu_us"`

	// Checked counts the elements that were compared, over both placements and
	// all ranks.
	Checked int64 `json:"checked"`
}

// Placement is the measurement with separate buffers or with one.
type Placement struct {
	Time   float64   `json:"time"` // microseconds
	AlgBW  Bandwidth `json:"alg_bw"`
	BusBW  Bandwidth `json:"bus_bw"`
	NWrong *int64    `json:"nwrong"` // nil when nothing was checked
}

// Wrong is the number of wrong elements found, 0 when nothing was checked.
func (p Placement) Wrong() int64 {
	if p.NWrong == nil {
		return 0
	}
	return *p.NWrong
}

// OutOfBounds counts the wrong elements of all results.
type OutOfBounds struct {
	Count int64 `json:"count"`
	Okay  bool  `json:"okay"`
}

// Average is the mean bus bandwidth over all rows and placements, small sizes
// included, as nccl-tests defines it.
type Average struct {
	Bandwidth Bandwidth `json:"bandwidth"`
	Okay      bool      `json:"okay"`
}

// NewReport starts the report of a run.
func NewReport(s Setup) *Report {
	return &Report{
		SchemaVersion: SchemaVersion, Config: s, Results: []Result{}, Errors: []string{},
		OutOfBounds:         OutOfBounds{Okay: true},
		AverageBusBandwidth: Average{Bandwidth: Bandwidth(math.NaN()), Okay: true},
	}
}

// Add appends a row and brings the sums up to date.
func (r *Report) Add(row Result) {
	r.Results = append(r.Results, row)
	r.OutOfBounds.Count += row.OutOfPlace.Wrong() + row.InPlace.Wrong()
	r.OutOfBounds.Okay = r.OutOfBounds.Count == 0
	r.AverageBusBandwidth.Bandwidth = r.averageBusBW()
}

func (r *Report) averageBusBW() Bandwidth {
	var sum Bandwidth
	for _, row := range r.Results {
		sum += row.OutOfPlace.BusBW + row.InPlace.BusBW
	}
	return sum / Bandwidth(2*len(r.Results))
}

// Checked is the number of elements compared in all rows.
func (r *Report) Checked() int64 {
	var n int64
	for _, row := range r.Results {
		n += row.Checked
	}
	return n
}

// LargestBusBW is the lowest bus bandwidth, over both placements, among the
// rows of the largest size of each collective, type and operator; NaN where that
// has no meaning, as for barriers alone.
func (r *Report) LargestBusBW() Bandwidth {
	type series struct{ collective, typ, op string }
	last := map[series]*Result{}
	for i, row := range r.Results {
		s := series{row.Collective, row.Type, row.Op}
		if have := last[s]; row.Size > 0 && (have == nil || row.Size > have.Size) {
			last[s] = &r.Results[i]
		}
	}
	low := Bandwidth(math.NaN())
	for _, row := range last {
		if bw := min(row.OutOfPlace.BusBW, row.InPlace.BusBW); !(bw >= low) {
			low = bw
		}
	}
	return low
}

// Require fails the report when the bus bandwidth at the largest size is below
// min GB/s.
func (r *Report) Require(min Bandwidth) bool {
	r.AverageBusBandwidth.Okay = r.LargestBusBW() >= min
	return r.AverageBusBandwidth.Okay
}
