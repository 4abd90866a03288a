#!/usr/bin/env bash
# Paired comparison of ringo with its peers: float32 sum AllReduce in place, over TCP
# on the loopback interface. Each round runs every configuration once; the order is
# rotated from round to round and reversed in every other one, so that slow drifts of
# the machine fall on everybody.
#
#   bench/peers/run.sh [-o FILE] [-r ROUNDS] [-p "2 4"] [-s "1M:100 4M:50 ..."]
#                      [-c "CONFIG ..."] [-t SECONDS]
#
#   -o FILE     raw rows are appended here            (bin/peers/results.csv)
#   -r ROUNDS   rounds                                (5)
#   -p RANKS    numbers of ranks                      ("2 4")
#   -s SIZES    SIZE:ITERATIONS, iterations optional  ("1M:100 4M:50 16M:20 64M:8 256M:5")
#   -c CONFIGS  what to run; "all" adds the optional ones (see configurations below)
#   -t SECONDS  limit for one command; a peer that hangs is ended and reported (180)
#
# ringo:NAME runs  bin/arbench -np P -t tcp --mode latency ... $RINGO_FLAGS $RINGO_FLAGS_NAME
# so RINGO_FLAGS_x="--subchunk 1M" with -c "ringo:tcp ringo:x ..." compares two settings.
# lib:config+huge asks for huge pages in the user's buffers (gloo, openmpi, mpich).
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
bin=$root/bin/peers
arbench=${ARBENCH:-$root/bin/arbench}

standard="ringo:tcp gloo:new_ring gloo:halving_doubling baidu:original openmpi:a5.1m openmpi:tcp"
optional="gloo:new_bcube gloo:ring_chunked baidu:in-place mpich:tcp"

out=$bin/results.csv rounds=5 ranks="2 4" limit=180 configs=$standard
sizes="1M:100 4M:50 16M:20 64M:8 256M:5"
while getopts o:r:p:s:c:t:h opt; do
  case $opt in
    o) out=$OPTARG ;; r) rounds=$OPTARG ;; p) ranks=$OPTARG ;; s) sizes=$OPTARG ;;
    c) configs=$OPTARG ;; t) limit=$OPTARG ;;
    *) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 2 ;;
  esac
done
[ "$configs" = all ] && configs="$standard $optional"
for number in $rounds $limit $ranks; do
  case $number in '' | *[!0-9]*) echo "run.sh: not a number: $number" >&2; exit 2 ;; esac
done

[ -x "$bin/report" ] || { echo "run.sh: nothing built yet; first: make -C $here" >&2; exit 2; }
mkdir -p "$(dirname "$out")" || exit 2
log=${out%.csv}.log
tmp=$(mktemp -d) || exit 2
child=
cleanup() { [ -n "$child" ] && kill "$child" 2>/dev/null && wait "$child"; rm -rf "$tmp"; }
trap cleanup EXIT
trap 'exit 130' INT TERM

[ "$(id -u)" = 0 ] && export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# limited COMMAND...: standard output to $tmp/rows, errors to the log, never longer than the limit.
# In the background, so that Ctrl-C and TERM reach this script and end the command with it.
limited() {
  timeout -k 10 "$limit" "$@" </dev/null >>"$tmp/rows" 2>>"$log" &
  child=$!
  wait "$child"
  local rc=$?
  child=
  return $rc
}

openmpi() { # P PROGRAM ARGUMENTS...; more settings in $mca
  local p=$1; shift
  local more=
  [ "$p" -gt 2 ] && more="--oversubscribe --mca mpi_yield_when_idle 1"
  # shellcheck disable=SC2086
  limited mpirun.openmpi -np "$p" $more --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include lo ${mca-} "$@"
}

ringo() { # P NAME; one process group per size, because -n holds for all sizes of a run
  local p=$1 name=$2 item size iters rc
  local flags="${RINGO_FLAGS-} $(v="RINGO_FLAGS_$name"; echo "${!v-}")"
  [ -x "$arbench" ] || { echo "$arbench is not there" >>"$log"; return 127; }
  for item in $sizes; do
    size=${item%%:*} iters=${item#*:}
    [ "$iters" = "$item" ] && iters=20
    rm -f "$tmp/ringo.json"
    timeout -k 10 "$limit" "$arbench" -np "$p" -t tcp --mode latency -b "$size" -e "$size" -f 2 -n "$iters" -w 5 -c 1 \
      -J "$tmp/ringo.json" $flags </dev/null >>"$log" 2>&1 &
    child=$!
    wait "$child"; rc=$?; child=
    # rows of a run that found wrong elements (status 1) are wanted too
    if [ -s "$tmp/ringo.json" ]; then
      "$bin/report" -arbench "$tmp/ringo.json" -config "$name" -ranks "$p" -iters "$iters" >>"$tmp/rows" 2>>"$log" || rc=1
    fi
    [ "$rc" = 0 ] || return "$rc"
  done
}

run() { # P CONFIG
  local p=$1 lib=${2%%:*} config=${2#*:} mca=
  local args="--label $config"
  local name=${config%+huge}
  [ "$name" != "$config" ] && args="$args --huge"
  case $lib:$name in
    ringo:*) ringo "$p" "$config" ;;
    gloo:*) limited "$bin/gloo_allreduce" --np "$p" --alg "$name" $args $sizes ;;
    baidu:original) openmpi "$p" "$bin/baidu_ring.openmpi" $args $sizes ;;
    baidu:in-place) openmpi "$p" "$bin/baidu_ring.openmpi" --in-place $args $sizes ;;
    # a5.1m: segmented ring, segments of 1 MiB, the fastest Open MPI setting known from 512 KiB up
    openmpi:a5.1m)
      mca="--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 5 --mca coll_tuned_allreduce_algorithm_segmentsize 1048576"
      openmpi "$p" "$bin/mpi_allreduce.openmpi" $args $sizes ;;
    # tcp: its own choice of algorithm
    openmpi:tcp) openmpi "$p" "$bin/mpi_allreduce.openmpi" $args $sizes ;;
    # spins without yielding, one scheduler tick per hop once ranks outnumber processors:
    # such a number would say nothing about the library
    mpich:tcp)
      [ "$p" -le "$(nproc)" ] || return "$skipped"
      limited env MPIR_CVAR_NOLOCAL=1 UCX_TLS=tcp,self UCX_NET_DEVICES=lo \
        mpirun.mpich -np "$p" "$bin/mpi_allreduce.mpich" $args $sizes ;;
    *) echo "unknown configuration $2" >>"$log"; return 2 ;;
  esac
}

skipped=77
package() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null || echo '?'; }
stamp=$(date -u +%Y%m%dT%H%M%SZ)
{
  [ -s "$out" ] || echo "round,position,library,config,ranks,bytes,iters,min_us,median_us,p99_us,wrong"
  echo "# run $stamp: $(uname -sr), $(nproc) processors, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)"
  echo "# tcp $(cat /proc/sys/net/ipv4/tcp_congestion_control 2>/dev/null), lo mtu $(cat /sys/class/net/lo/mtu 2>/dev/null), thp $(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null)"
  echo "# openmpi $(package openmpi-bin), mpich $(package mpich), gloo $(package libgloo-dev), ringo $(git -C "$root" describe --always --dirty 2>/dev/null || echo '?')"
  echo "# configurations: $configs; sizes: $sizes; ringo flags: ${RINGO_FLAGS-}"
} >>"$out"

read -r -a list <<<"$configs"
n=${#list[@]}
failures=0
for ((round = 0; round < rounds; round++)); do
  for p in $ranks; do
    for ((k = 0; k < n; k++)); do
      i=$(((k + round) % n))
      ((round % 2)) && i=$(((2 * n - 1 - k - round % n) % n))
      config=${list[i]}
      : >"$tmp/rows"
      echo "== $stamp.$round P=$p $config" >>"$log"
      began=$SECONDS
      run "$p" "$config"
      rc=$?
      sed "s/^/$stamp.$round,$k,/" "$tmp/rows" >>"$out"
      note=
      if [ $rc = "$skipped" ]; then
        note=" skipped: more ranks than processors"
        echo "# skipped round $stamp.$round ranks $p $config: more ranks than processors" >>"$out"
      elif [ $rc != 0 ]; then
        failures=$((failures + 1))
        why="status $rc"
        case $rc in 124 | 137) why="ended after $limit s" ;; 127) why="program not found" ;; esac
        note=" FAILED: $why"
        echo "# failed round $stamp.$round ranks $p $config: $why" >>"$out"
      fi
      printf 'round %d P=%d %-24s %4d s, load %s%s\n' "$round" "$p" "$config" $((SECONDS - began)) "$(cut -d' ' -f1 /proc/loadavg)" "$note" >&2
    done
  done
done

"$bin/report" "$out"
[ $failures = 0 ] || { echo "run.sh: $failures commands failed; see $log" >&2; exit 1; }
