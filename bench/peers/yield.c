/*
 * Preloaded into MPICH when ranks outnumber processors (LD_PRELOAD).
 *
 * MPICH 4.0 polls without giving its processor away, and no setting of it changes
 * that: each hop then takes one tick of the scheduler, milliseconds, which says
 * nothing about the library. Its progress loop calls UCX's; this takes the place of
 * that function and yields whenever it had nothing to do.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

typedef unsigned (*progress_function)(void *worker);

unsigned ucp_worker_progress(void *worker) {
  static progress_function next;
  if (!next && !(next = (progress_function)dlsym(RTLD_NEXT, "ucp_worker_progress"))) abort();
  unsigned done = next(worker);
  if (!done) sched_yield();
  return done;
}
