#!/bin/sh
# Compares the in-place float32 sum of package reduce with ck.c, alternately, and
# prints the best of each. GB is 10^9 bytes moved: 3n for the sum (a and b read, b
# written), 2n for memcpy (read and written; a cache's read before a write is not
# counted). ratio is Go/C; Go/memcpy is the figure for sizes beyond the caches.
#
#   bench/ckernel/compare.sh [rounds, default 5] [variant, default avx512]
set -eu
rounds=${1:-5}
variant=${2:-avx512}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

grep -q avx512f /proc/cpuinfo 2>/dev/null || { echo "compare.sh: this processor has no AVX-512: skipped"; exit 0; }
gcc -O3 -mavx512f -o "$work/ck" "$here/ck.c"
(cd "$here/../../reduce" && go test -c -o "$work/reduce.test" .)

cd "$work"
for _ in $(seq "$rounds"); do
	./ck >>c.txt
	./reduce.test -test.run '^$' -test.bench "SumFloat32/^$variant\$/" \
		-test.benchtime 20ms -test.count 10 >>go.txt
done

awk '
	FILENAME == "c.txt" && $1 == "sum"    { if ($5 > c[$2]) c[$2] = $5; if (!seen[$2]++) order[++n] = $2 }
	FILENAME == "c.txt" && $1 == "memcpy" { if ($5 > copy[$2]) copy[$2] = $5 }
	FILENAME == "go.txt" && /^Benchmark/ {
		split($1, name, "/"); sub(/-[0-9]+$/, "", name[3])
		moved = 3 * $5 / 1000 # MB/s of one operand
		if (moved > go[name[3]]) go[name[3]] = moved
	}
	END {
		printf "%-6s %9s %9s %7s %12s %10s\n", "size", "C GB/s", "Go GB/s", "ratio", "memcpy GB/s", "Go/memcpy"
		for (i = 1; i <= n; i++) {
			s = order[i]
			printf "%-6s %9.1f %9.1f %7.2f %12.1f %10.2f\n", s, c[s], go[s], go[s] / c[s], copy[s], go[s] / copy[s]
		}
	}
' c.txt go.txt
