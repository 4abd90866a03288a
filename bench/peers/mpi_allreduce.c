/*
 * MPI_Allreduce of float32 with MPI_SUM, under the protocol of protocol.h.
 *
 * Own option: --out-of-place   send and receive buffers differ
 *                              (default: MPI_IN_PLACE)
 * Transport and algorithm are chosen with the MPI's own settings; see run.sh.
 */
#include "mpi_peer.h"

static int out_of_place;
static int huge_pages;
static float *result;

static void begin(struct peer *p, float *data, size_t n) {
  (void)p;
  if (n > INT_MAX) fail("more elements than an int counts", NULL);
  result = out_of_place ? alloc_floats(n, huge_pages) : data;
}

static void end(struct peer *p) {
  (void)p;
  if (out_of_place) free(result);
}

static float *allreduce(struct peer *p, float *data, size_t n) {
  (void)p;
  MPI_Allreduce(out_of_place ? data : MPI_IN_PLACE, result, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return result;
}

int main(int argc, char **argv) {
  struct peer p = {.library = MPI_LIBRARY, .begin = begin, .allreduce = allreduce, .end = end};
  mpi_join(&p, &argc, &argv);
  struct options o = default_options();
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--out-of-place")) out_of_place = 1;
    else if (!common_option(&o, argc, argv, &i)) fail("unknown option", argv[i]);
  }
  default_sizes(&o);
  huge_pages = o.huge;
  p.config = out_of_place ? "out-of-place" : "in-place";
  measure(&p, &o);
  MPI_Finalize();
  return 0;
}
