package versus

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// nccl runs nccl-tests, which measures GPUs' memory and never puts a barrier
// between iterations: a figure to know, not a comparison of like with like.
func nccl(s *Sides, j Job, label string) Command {
	const program = "all_reduce_perf"
	types := map[string]string{"float32": "float", "bfloat16": "bfloat16"}
	c := Command{Format: NCCLTests, Args: []string{program, "-g", strconv.Itoa(j.Ranks), "-b", strconv.Itoa(slices.Min(j.Sizes)),
		"-e", strconv.Itoa(slices.Max(j.Sizes)), "-f", "2", "-d", types[j.Type], "-o", "sum", "-c", "1", "-n", strconv.Itoa(ncclIterations)}}
	if _, err := exec.LookPath(program); err != nil {
		c.Missing = "build nccl-tests and put " + program + " on PATH; it needs an NVIDIA GPU for each rank"
	}
	return c
}

// ncclIterations is how many iterations nccl-tests averages.
const ncclIterations = 20

// convertNCCL turns the in-place half of nccl-tests' table into raw rows. The only
// time it has is the mean; like fills the columns it does not have.
func convertNCCL(in io.Reader, out io.Writer, like row) error {
	scan := bufio.NewScanner(in)
	rows := 0
	for scan.Scan() {
		f := strings.Fields(scan.Text())
		if len(f) < 13 || strings.HasPrefix(f[0], "#") {
			continue
		}
		bytes, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			continue
		}
		micros, err := strconv.ParseFloat(f[9], 64)
		if err != nil {
			return fmt.Errorf("nccl-tests: size %d: time %q", bytes, f[9])
		}
		wrong, err := strconv.ParseInt(f[12], 10, 64)
		if err != nil {
			return fmt.Errorf("nccl-tests: size %d: not checked (#wrong is %q)", bytes, f[12])
		}
		fmt.Fprintf(out, "%s,%s,%d,%d,%d,%.2f,%.2f,%.2f,%d,%.2f,0\n", like.Library, like.Config, like.Ranks, bytes, ncclIterations, micros, micros, micros, wrong, micros)
		rows++
	}
	if rows == 0 {
		return fmt.Errorf("nccl-tests: no rows")
	}
	return scan.Err()
}
