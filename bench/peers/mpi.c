/*
 * MPI_Allreduce and its relatives with MPI_SUM, under the protocol of protocol.h.
 * Transport and algorithm are chosen with the MPI's own settings.
 *
 * An MPI without bfloat16 adds it with a user's operator, in the compiler's
 * vectorised loop; such an operator keeps an MPI from its own kernels.
 */
#include "mpi_peer.h"

static MPI_Datatype type;
static MPI_Op op;
static int own_operator;

static void add(void *in, void *to, int *n, MPI_Datatype *t) {
  (void)t;
  add_bf16(to, to, in, (size_t)*n);
}

static void choose(enum element e) {
  type = MPI_FLOAT;
  op = MPI_SUM;
  if (e != BFLOAT16) return;
#ifdef MPIX_BFLOAT16
  type = MPIX_BFLOAT16;
#else
  type = MPI_UINT16_T;
  own_operator = 1;
  MPI_Op_create(add, 1, &op);
#endif
}

static void begin(struct peer *p, const struct job *j) {
  (void)p;
  if (j->count > INT_MAX) fail("more elements than an int counts", NULL);
}

static void end(struct peer *p) { (void)p; }

static void *run(struct peer *p, const struct job *j) {
  const void *in = j->in_place ? MPI_IN_PLACE : j->in;
  (void)p;
  switch (j->collective) {
  case ALLREDUCE: MPI_Allreduce(in, j->out, (int)j->count, type, op, MPI_COMM_WORLD); break;
  case REDUCESCATTER: MPI_Reduce_scatter_block(in, j->out, (int)j->block, type, op, MPI_COMM_WORLD); break;
  case ALLGATHER: MPI_Allgather(in, (int)j->block, type, j->out, (int)j->block, type, MPI_COMM_WORLD); break;
  case BROADCAST: MPI_Bcast(j->in, (int)j->count, type, 0, MPI_COMM_WORLD); return j->in; /* has one buffer */
  }
  return j->out;
}

int main(int argc, char **argv) {
  struct peer p = {.library = MPI_LIBRARY, .begin = begin, .run = run, .end = end};
  mpi_join(&p, &argc, &argv);
  struct options o = default_options();
  for (int i = 1; i < argc; i++)
    if (!common_option(&o, argc, argv, &i)) fail("unknown option", argv[i]);
  choose(o.element);
  p.config = own_operator ? "user-op" : "default";
  measure(&p, &o);
  mpi_part();
  return 0;
}
