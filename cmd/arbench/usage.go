package main

// usage is what -h prints. SIZE takes the binary suffixes K, M and G.
const usage = `arbench measures collectives and checks every element of their results.

  arbench [flags]         start -np ranks on this machine; under torchrun, mpirun,
                          srun or a Kubernetes indexed Job: be one rank
  arbench plan [flags]    print or check a plan; arbench plan -h
  arbench explain-choice  which algorithm is picked for which size, and why
  arbench tune            measure this machine's costs, for --profile
  arbench --vs PEERS ...  measure beside other libraries; arbench --vs -h

What to measure
  -np N             ranks to start here, without a launcher (4)
  -C NAME           allreduce reducescatter allgather broadcast barrier,
                    or all (allreduce)
  -b SIZE, -e SIZE  first and last size in bytes; K, M and G are binary (1K, 64M)
  -f K, -i SIZE     factor, or step, between sizes (factor 4)
  --sizes LIST      sizes separated by commas, in place of -b, -e, -f and -i
  -d TYPE           int8 uint8 int32 uint32 int64 uint64 float16 bfloat16 float32
                    float64, or all (float32)
  -o OP             sum prod min max avg, or all (sum)
  -n N, -w N        timed and warm-up iterations; fewer above 64M (20, 5)
  --budget D        about how long a row and placement may take: fewer iterations
                    than -n and -w where they do not fit (no limit)
  -c 0|1            check every element of the result (1)
  --mode MODE       throughput: no barrier between iterations, as nccl-tests;
                    latency: a barrier before each, as OSU (throughput)
  --memory KIND     buffers: registered, from the group; ordinary; huge, which is
                    ordinary in huge pages (registered)
  --rewrite         owners write their input before and read their result in each
                    timed iteration
  --seed N          input data (1)

How to communicate
  -t NAME           transport: auto inproc shm tcp (auto)
  -a NAME           algorithm: auto binomial chain direct doubling exchange flat
                    halving hierarchical hierarchical-ordered ring scatter (auto)
  --reproducible B  sum every element in rank order: on or off (on)
  --profile FILE    cost model to choose by, as arbench tune writes it
  --device D        where buffers lie: cpu (cpu)
  --subchunk SIZE   bytes that the pipeline moves at a time (tuned)
  --depth N         sub-chunks in flight (tuned)
  --conns N         connections per neighbour (tuned)
  --listen ADDR     IP address to listen on (all)
  --advertise ADDR  what other ranks dial: host or host:port (the address listened on)
  --port-range A-B  ports to listen on (any)
  --join-timeout D  how long to wait for all ranks (2m)
  --timeout D       how long one collective may take (5m)

What to do with the results
  -J FILE           write JSON; - is standard output, the table then goes to
                    standard error
  --csv FILE        write CSV; - as above
  --plot FILE       draw bus bandwidth over size, as .svg or .png
  --min-busbw X     exit with status 1 below X GB/s at the largest size (off)

  --version         print the version
  -h                print this

Exit status: 0 all ran and every element was right; 1 a rank failed, an element
was wrong, or it was slower than --min-busbw; 2 the command line or the
environment makes no sense.
`
