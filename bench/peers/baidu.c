/*
 * The ring AllReduce of Baidu's 2017 demonstration (baidu-research/baidu-allreduce,
 * CPU path), written anew, under the protocol of protocol.h.
 *
 * What is reproduced of the original, all of it inside the timed call:
 *   - the lengths of all ranks are gathered (MPI_Allgather of one integer) and compared;
 *   - the vector is cut into one chunk per rank, the remainder spread one element
 *     each over the first chunks;
 *   - a new output vector and a new scratch buffer of one chunk are allocated on
 *     each call, and the input is copied to the output: the operation is not in
 *     place, and above the allocator's mmap threshold every call page-faults the
 *     fresh memory;
 *   - scatter-reduce in P-1 steps: MPI_Irecv of a whole chunk from the left into the
 *     scratch, blocking MPI_Send of a whole chunk to the right, MPI_Wait, and only
 *     then the addition: transfer and addition do not overlap;
 *   - allgather in P-1 steps of MPI_Sendrecv of whole chunks, straight into the output;
 *   - the scratch is freed at the end. The caller frees the output, untimed (as the
 *     original's test program did).
 * What is not: CUDA, C++ containers and exceptions, and the original's build without
 * optimisation of the addition loop (this one is compiled with -O3 -march=native,
 * which favours it).
 *
 * Own option: --in-place   the same ring on the caller's vector, with a scratch buffer
 *                          kept between calls: no copy, no allocation, no page faults.
 */
#include "mpi_peer.h"

static int in_place;
static float *kept_scratch;
static float *output;

struct chunk {
  size_t from, len;
};

static struct chunk chunk_of(size_t n, int ranks, int index) {
  size_t base = n / (size_t)ranks, rest = n % (size_t)ranks, k = (size_t)index;
  struct chunk c;
  c.from = k * base + (k < rest ? k : rest);
  c.len = base + (k < rest);
  return c;
}

static void *must_alloc(size_t bytes) {
  void *p = malloc(bytes ? bytes : 1);
  if (!p) fail("out of memory", NULL);
  return p;
}

static void add(float *restrict to, const float *restrict from, size_t n) {
  for (size_t i = 0; i < n; i++) to[i] += from[i];
}

static void check_lengths(int ranks, size_t n) {
  unsigned long mine = n, *all = must_alloc(sizeof *all * (size_t)ranks);
  MPI_Allgather(&mine, 1, MPI_UNSIGNED_LONG, all, 1, MPI_UNSIGNED_LONG, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; r++)
    if (all[r] != mine) fail("ranks disagree on the length", NULL);
  free(all);
}

static void ring(int rank, int ranks, float *v, size_t n, float *scratch) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  for (int step = 0; step < ranks - 1; step++) {
    struct chunk out = chunk_of(n, ranks, (rank - step + ranks) % ranks);
    struct chunk in = chunk_of(n, ranks, (rank - step - 1 + ranks) % ranks);
    MPI_Request receive;
    MPI_Irecv(scratch, (int)in.len, MPI_FLOAT, left, 0, MPI_COMM_WORLD, &receive);
    MPI_Send(v + out.from, (int)out.len, MPI_FLOAT, right, 0, MPI_COMM_WORLD);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    add(v + in.from, scratch, in.len);
  }
  for (int step = 0; step < ranks - 1; step++) {
    struct chunk out = chunk_of(n, ranks, (rank + 1 - step + ranks) % ranks);
    struct chunk in = chunk_of(n, ranks, (rank - step + ranks) % ranks);
    MPI_Sendrecv(v + out.from, (int)out.len, MPI_FLOAT, right, 0, v + in.from, (int)in.len, MPI_FLOAT, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void *run(struct peer *p, const struct job *j) {
  float *data = j->in;
  const size_t n = j->count;
  if (in_place) {
    ring(p->rank, p->size, data, n, kept_scratch);
    return data;
  }
  check_lengths(p->size, n);
  output = must_alloc(n * sizeof *output);
  memcpy(output, data, n * sizeof *output);
  float *scratch = must_alloc(chunk_of(n, p->size, 0).len * sizeof *scratch);
  ring(p->rank, p->size, output, n, scratch);
  free(scratch);
  return output;
}

static void settle(struct peer *p) {
  (void)p;
  free(output);
  output = NULL;
}

static void begin(struct peer *p, const struct job *j) {
  if (j->collective != ALLREDUCE || j->element != FLOAT32) fail("only allreduce of float32", NULL);
  if (j->count > INT_MAX) fail("more elements than an int counts", NULL);
  if (in_place) kept_scratch = alloc_bytes(chunk_of(j->count, p->size, 0).len * sizeof *kept_scratch, 0);
}

static void end(struct peer *p) {
  (void)p;
  free(kept_scratch);
  kept_scratch = NULL;
}

int main(int argc, char **argv) {
  struct peer p = {.library = "baidu", .begin = begin, .run = run, .settle = settle, .end = end};
  mpi_join(&p, &argc, &argv);
  struct options o = default_options();
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--in-place")) in_place = 1;
    else if (!common_option(&o, argc, argv, &i)) fail("unknown option", argv[i]);
  }
  p.config = in_place ? "in-place" : "original";
  measure(&p, &o);
  mpi_part();
  return 0;
}
