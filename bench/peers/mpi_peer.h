/* The part of a peer that is the same for every program on top of MPI. */
#ifndef PEERS_MPI_PEER_H
#define PEERS_MPI_PEER_H

#include "protocol.h"
#include <limits.h>
#include <mpi.h>
#include <unistd.h>

#if defined(OPEN_MPI)
#define MPI_LIBRARY "openmpi"
#elif defined(MPICH_VERSION)
#define MPI_LIBRARY "mpich"
#else
#define MPI_LIBRARY "mpi"
#endif

static void mpi_barrier(struct peer *p) {
  (void)p;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void mpi_fold(struct peer *p, double *v, int n, enum fold how) {
  (void)p;
  MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, how == FOLD_MAX ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
}

static void leave(int signal) {
  (void)signal;
  _exit(0);
}

/*
 * Ends MPI. MPICH over TCP sometimes hangs in MPI_Finalize for ever, one rank
 * polling for others that are past polling: all has been measured by then, and the
 * ranks leave.
 */
static void mpi_part(void) {
  fflush(NULL);
  signal(SIGALRM, leave);
  alarm(3);
  MPI_Finalize();
}

/* Starts MPI; its default error handler ends all ranks on any error. */
static void mpi_join(struct peer *p, int *argc, char ***argv) {
  MPI_Init(argc, argv);
  die_with_parent();
  MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p->size);
  p->barrier = mpi_barrier;
  p->fold = mpi_fold;
}

#endif
