package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/ringo-ccl/ringo/allreduce"
)

// reportVariable tells a rank that arbench started on which descriptor to
// report its error. The starting process prints all ranks' errors, so that what
// is one failure does not look like many.
const reportVariable = "ARBENCH_REPORT_FD"

// report is a rank's last word.
type report struct {
	Error  string `json:"error"` // empty when all went well
	Usage  bool   `json:"usage"`
	During string `json:"during"` // the collective that failed and what the rank did in it
}

func reportOf(err error) report {
	if err == nil {
		return report{}
	}
	r := report{Error: err.Error(), Usage: statusOf(err) == exitUsage}
	var rank *allreduce.RankError
	if errors.As(err, &rank) && rank.Op != "" {
		r.During = rank.Op + " #" + strconv.FormatUint(rank.Seq, 10)
	}
	return r
}

// sendReport writes r to the process that started this one. If that cannot be
// done there is nobody left to tell.
func sendReport(r report) {
	fd, err := strconv.Atoi(os.Getenv(reportVariable))
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), "report")
	_ = json.NewEncoder(f).Encode(r)
	_ = f.Close()
}

// readReport waits until the rank at the other end has reported or died.
func readReport(from io.Reader) report {
	var r report
	_ = json.NewDecoder(from).Decode(&r) // a rank that died leaves nothing
	return r
}
