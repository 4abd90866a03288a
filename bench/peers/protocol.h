/*
 * The measuring protocol that every peer program in this directory shares, so
 * that they differ in nothing but the call being measured.
 *
 * Per size:
 *   1. every rank fills its vector with small integers (their sum is exact in
 *      float32), runs the collective once, and compares every element;
 *   2. the vector is set to zero, so that repeated in-place sums stay finite;
 *   3. warm-up iterations, then timed ones. A barrier precedes each; the time
 *      of an iteration is the largest local duration of any rank.
 *
 * Output, one line per size, by rank 0:
 *   library,config,ranks,bytes,iters,min_us,median_us,p99_us,wrong
 * p99 is the nearest rank (below 100 iterations: the slowest one); wrong counts
 * the wrong elements on all ranks together.
 *
 * Arguments: [options] [SIZE[:ITERS] ...]     SIZE takes K, M, G (binary)
 *   --label TEXT       the config column
 *   --warmup N         warm-up iterations (default by size)
 *   --max-seconds S    spend about S seconds at most on the timed iterations of
 *                      one size, but make at least 3 (default 2)
 *   --huge             ask for huge pages for the user's buffers
 *   --header           print the column names first
 */
#ifndef PEERS_PROTOCOL_H
#define PEERS_PROTOCOL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

enum { MAX_SIZES = 64, MIN_ITERS = 3 };

struct workload {
  size_t bytes;
  int iters;
};

struct options {
  const char *label;
  int warmup; /* -1: by size */
  double max_seconds;
  int huge;
  int header;
  int nsizes;
  struct workload sizes[MAX_SIZES];
};

enum fold { FOLD_MAX, FOLD_SUM };

/* What a peer has to provide. */
struct peer {
  const char *library;
  const char *config; /* used when no --label is given */
  int rank, size;
  /* untimed: allocate and connect whatever the library sets up per buffer */
  void (*begin)(struct peer *, float *data, size_t n);
  /* timed: sum data over all ranks; returns where the result is */
  float *(*allreduce)(struct peer *, float *data, size_t n);
  /* untimed, after every allreduce; may be NULL */
  void (*settle)(struct peer *);
  void (*end)(struct peer *);
  void (*barrier)(struct peer *);
  /* element-wise over all ranks, result on all of them */
  void (*fold)(struct peer *, double *v, int n, enum fold how);
};

static inline double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static inline void fail(const char *what, const char *detail) {
  fprintf(stderr, "%s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
  exit(2);
}

/* A rank must not outlive the launcher that a timeout has killed. */
static inline void die_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

static inline int default_iters(size_t bytes) {
  const size_t M = (size_t)1 << 20;
  if (bytes <= M / 16) return 1000;
  if (bytes <= M) return 100;
  if (bytes <= 4 * M) return 50;
  if (bytes <= 16 * M) return 20;
  if (bytes <= 64 * M) return 8;
  return 5;
}

static inline int default_warmup(size_t bytes) {
  if (bytes <= (size_t)1 << 16) return 50;
  return bytes <= (size_t)1 << 24 ? 5 : 2;
}

static inline void add_size(struct options *o, const char *text) {
  char *end;
  double v = strtod(text, &end);
  switch (*end) {
  case 'k': case 'K': v *= 1024.0; end++; break;
  case 'm': case 'M': v *= 1048576.0; end++; break;
  case 'g': case 'G': v *= 1073741824.0; end++; break;
  }
  if (!(v >= 4) || v > (double)((size_t)1 << 32)) fail("size out of range", text);
  struct workload w;
  w.bytes = (size_t)v / sizeof(float) * sizeof(float);
  w.iters = default_iters(w.bytes);
  if (*end == ':') w.iters = (int)strtol(end + 1, &end, 10);
  if (*end || w.iters < 1) fail("want SIZE or SIZE:ITERS", text);
  if (o->nsizes == MAX_SIZES) fail("too many sizes", NULL);
  o->sizes[o->nsizes++] = w;
}

/* Takes one argument of the common kind at argv[*i]; returns 0 if it is not one. */
static inline int common_option(struct options *o, int argc, char **argv, int *i) {
  const char *a = argv[*i];
  const char *next = *i + 1 < argc ? argv[*i + 1] : NULL;
  if (a[0] != '-') { add_size(o, a); return 1; }
  if (!strcmp(a, "--huge")) { o->huge = 1; return 1; }
  if (!strcmp(a, "--header")) { o->header = 1; return 1; }
  if (!next) return 0;
  if (!strcmp(a, "--label")) { o->label = next; ++*i; return 1; }
  if (!strcmp(a, "--warmup")) { o->warmup = atoi(next); ++*i; return 1; }
  if (!strcmp(a, "--max-seconds")) { o->max_seconds = atof(next); ++*i; return 1; }
  return 0;
}

static inline struct options default_options(void) {
  struct options o;
  memset(&o, 0, sizeof o);
  o.warmup = -1;
  o.max_seconds = 2;
  return o;
}

static inline void default_sizes(struct options *o) {
  static const char *const sizes[] = {"1M", "4M", "16M", "64M", "256M"};
  if (o->nsizes) return;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) add_size(o, sizes[i]);
}

static inline float *alloc_floats(size_t n, int huge) {
  void *p = NULL;
  size_t align = (size_t)(huge ? 2 << 20 : 4 << 10);
  size_t bytes = (n * sizeof(float) + align - 1) / align * align;
  if (posix_memalign(&p, align, bytes)) fail("out of memory", NULL);
  if (huge) madvise(p, bytes, MADV_HUGEPAGE); /* else whatever the system does by default */
  memset(p, 0, bytes); /* touch every page now */
  return (float *)p;
}

static inline int input(int rank, size_t i) { return (int)((i * 31 + i / 1024 + (size_t)rank * 7) % 101); }

static inline size_t count_wrong(const float *got, size_t n, int ranks) {
  size_t wrong = 0;
  for (size_t i = 0; i < n; i++) {
    int want = 0;
    for (int r = 0; r < ranks; r++) want += input(r, i);
    wrong += !(got[i] == (float)want);
  }
  return wrong;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Times n iterations; us[i] becomes the slowest rank's duration. */
static inline void iterate(struct peer *p, float *data, size_t count, int n, double *us) {
  for (int i = 0; i < n; i++) {
    p->barrier(p);
    double start = now_us();
    p->allreduce(p, data, count);
    us[i] = now_us() - start;
    if (p->settle) p->settle(p);
  }
  p->fold(p, us, n, FOLD_MAX);
  qsort(us, (size_t)n, sizeof *us, by_value);
}

static inline void measure_size(struct peer *p, const struct options *o, struct workload w) {
  size_t n = w.bytes / sizeof(float);
  float *data = alloc_floats(n, o->huge);
  p->begin(p, data, n);

  for (size_t i = 0; i < n; i++) data[i] = (float)input(p->rank, i);
  p->barrier(p);
  double wrong = (double)count_wrong(p->allreduce(p, data, n), n, p->size);
  if (p->settle) p->settle(p);
  p->fold(p, &wrong, 1, FOLD_SUM);
  memset(data, 0, w.bytes);

  int warmup = o->warmup >= 0 ? o->warmup : default_warmup(w.bytes);
  int iters = w.iters;
  double *us = (double *)malloc(sizeof *us * (size_t)(warmup > iters ? warmup : iters));
  if (!us) fail("out of memory", NULL);
  if (warmup > 0) {
    iterate(p, data, n, warmup, us);
    /* the same on all ranks, because us is */
    double fit = o->max_seconds * 1e6 / us[warmup / 2];
    if (fit < MIN_ITERS) fit = MIN_ITERS;
    if (fit < iters) iters = (int)fit;
  }
  iterate(p, data, n, iters, us);
  if (p->rank == 0) {
    double median = us[(iters + 1) / 2 - 1]; // the lower of two in the middle, as in arbench
    double p99 = us[(int)ceil(0.99 * iters) - 1];
    printf("%s,%s,%d,%zu,%d,%.2f,%.2f,%.2f,%.0f\n", p->library, o->label ? o->label : p->config, p->size,
           w.bytes, iters, us[0], median, p99, wrong);
    fflush(stdout);
  }
  free(us);
  p->end(p);
  free(data);
}

static inline void measure(struct peer *p, const struct options *o) {
  if (o->header && p->rank == 0) puts("library,config,ranks,bytes,iters,min_us,median_us,p99_us,wrong");
  for (int i = 0; i < o->nsizes; i++) measure_size(p, o, o->sizes[i]);
}

#endif
