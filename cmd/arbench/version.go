package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/ringo-ccl/ringo/allreduce"
)

// programName is arbench and its version, as in "arbench v1.2.3".
func programName() string {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return "arbench " + version
}

// goName is the toolchain and the platform, as in "go1.26.0 linux/amd64".
func goName() string {
	return fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func versionLine() string {
	return fmt.Sprintf("%s, ringo %s, %s", programName(), allreduce.Version, goName())
}
