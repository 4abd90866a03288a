package versus

import (
	"bytes"
	"strings"
	"testing"
)

const ncclTable = `# nThread 1 nGpus 2 minBytes 4 maxBytes 16 step: 2(factor)
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           4             1     float     sum      -1    12.50    0.00    0.00      0    11.25    0.00    0.00      0
           8             2     float     sum      -1    12.50    0.00    0.00      0    11.50    0.00    0.00      3
# Avg bus bandwidth    : 0
`

func TestConvertNCCL(t *testing.T) {
	var out bytes.Buffer
	if err := convertNCCL(strings.NewReader(ncclTable), &out, row{Library: "nccl", Config: "nccl-tests", Ranks: 2}); err != nil {
		t.Fatal(err)
	}
	want := "nccl,nccl-tests,2,4,20,11.25,11.25,11.25,0,11.25,0\nnccl,nccl-tests,2,8,20,11.50,11.50,11.50,3,11.50,0\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	for line := range strings.Lines(out.String()) {
		if _, err := parse("0,0," + strings.TrimSpace(line)); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestConvertNCCLRefuses(t *testing.T) {
	for name, table := range map[string]string{
		"no rows":     "# a header\n",
		"not checked": strings.Replace(ncclTable, "      0\n", "    N/A\n", 1),
		"no time":     strings.Replace(ncclTable, "11.25", "fast", 1),
	} {
		if err := convertNCCL(strings.NewReader(table), &bytes.Buffer{}, row{}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
