// Command _asm writes the vector kernels of package reduce. Run it with
// go generate in the package's directory.
package main

import (
	"flag"
	"slices"

	"github.com/mmcloughlin/avo/build"
)

func main() {
	flag.Parse()
	build.ConstraintExpr("amd64,!purego")
	for _, set := range []isa{avx2, avx512} {
		for _, f := range formats {
			for _, s := range steps {
				if slices.Contains(s.formats, f.name) && (!s.wideOnly || set == avx512) {
					set.pairwise(s, f)
				}
			}
			if f.quotient != nil {
				set.quotients(f)
			}
		}
	}
	build.Generate()
}
