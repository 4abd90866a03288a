/*
 * The measuring protocol that every peer program in this directory shares, so
 * that they differ in nothing but the call being measured. arbench measures
 * ringo in the same way (bench/loop.go).
 *
 * Per size:
 *   1. every rank fills its input with small integers (their sum is exact), runs
 *      the collective once, and every element is compared;
 *   2. warm-up iterations, then timed ones. Both are as many as --warmup and
 *      --iters say, but no more than fit into --budget (and a quarter of it on top, for
 *      warming up), and at least 3 of each;
 *   3. in latency mode a barrier precedes each iteration, and its time is the
 *      largest local duration of any rank; in throughput mode nothing does, and
 *      the mean is the time of all iterations on the slowest rank over their
 *      number.
 *
 * Output, one line per size, by rank 0:
 *   library,config,ranks,bytes,iters,min_us,median_us,p99_us,wrong,mean_us,cpu_us
 * bytes is the whole array, for ReduceScatter and AllGather too; p99 is the
 * nearest rank (below 100 iterations: the slowest one); wrong counts the wrong
 * elements on all ranks; cpu_us is the processor time that all ranks together used
 * in the timed iterations, waiting included, over their number.
 *
 * Arguments: [options] SIZE ...     SIZE takes K, M, G (binary)
 *   --collective NAME  allreduce, reducescatter, allgather, broadcast
 *   --type NAME        float32 or bfloat16
 *   --mode NAME        latency or throughput
 *   --out-of-place     input and output are different buffers
 *   --rewrite          the owner writes its input before each iteration, untimed,
 *                      and reads its output within the time
 *   --huge             ask for huge pages for the user's buffers
 *   --label TEXT       the config column
 *   --warmup N, --iters N, --budget SECONDS
 */
#ifndef PEERS_PROTOCOL_H
#define PEERS_PROTOCOL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

enum { MAX_SIZES = 64, LEAST = 3, MODULUS = 101 };

enum collective { ALLREDUCE, REDUCESCATTER, ALLGATHER, BROADCAST };
enum element { FLOAT32, BFLOAT16 };
enum fold { FOLD_MAX, FOLD_SUM };

struct options {
  const char *label;
  enum collective collective;
  enum element element;
  int throughput, out_of_place, rewrite, huge;
  int warmup, iters;
  double budget; /* seconds */
  int nsizes;
  size_t sizes[MAX_SIZES];
};

/* One size of one collective on one rank. */
struct job {
  enum collective collective;
  enum element element;
  size_t width;    /* bytes of an element */
  size_t count;    /* elements of the whole array */
  size_t block;    /* elements of a rank's part of it */
  void *in, *out;  /* equal, or one inside the other, when in place */
  int in_place;
};

/* What a peer has to provide. */
struct peer {
  const char *library;
  const char *config; /* used when no --label is given */
  int rank, size;
  /* untimed: whatever the library sets up per buffer */
  void (*begin)(struct peer *, const struct job *);
  /* timed; returns where the result is */
  void *(*run)(struct peer *, const struct job *);
  /* untimed, after every run; may be NULL */
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

static inline double cpu_us(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static inline void fail(const char *what, const char *detail) {
  fprintf(stderr, "%s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
  exit(2);
}

/* A rank must not outlive the launcher that a timeout has killed. */
static inline void die_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

/* ---- arguments ---- */

static inline struct options default_options(void) {
  struct options o;
  memset(&o, 0, sizeof o);
  o.warmup = 50;
  o.iters = 1000;
  o.budget = 1;
  return o;
}

static inline void add_size(struct options *o, const char *text) {
  char *end;
  double v = strtod(text, &end);
  switch (*end) {
  case 'k': case 'K': v *= 1024.0; end++; break;
  case 'm': case 'M': v *= 1048576.0; end++; break;
  case 'g': case 'G': v *= 1073741824.0; end++; break;
  }
  if (*end || !(v >= 1) || v > (double)((size_t)1 << 32)) fail("not a size from 1 to 4G", text);
  if (o->nsizes == MAX_SIZES) fail("too many sizes", NULL);
  o->sizes[o->nsizes++] = (size_t)v;
}

/* The index of text in names, which ends with NULL. */
static inline int one_of(const char *const *names, const char *text) {
  for (int i = 0; names[i]; i++)
    if (!strcmp(names[i], text)) return i;
  fail("unknown name", text);
  return -1;
}

/* Takes one argument of the common kind at argv[*i]; returns 0 if it is not one. */
static inline int common_option(struct options *o, int argc, char **argv, int *i) {
  static const char *const collectives[] = {"allreduce", "reducescatter", "allgather", "broadcast", NULL};
  static const char *const types[] = {"float32", "bfloat16", NULL};
  static const char *const modes[] = {"latency", "throughput", NULL};
  const char *a = argv[*i];
  const char *next = *i + 1 < argc ? argv[*i + 1] : NULL;
  if (a[0] != '-') { add_size(o, a); return 1; }
  if (!strcmp(a, "--out-of-place")) { o->out_of_place = 1; return 1; }
  if (!strcmp(a, "--rewrite")) { o->rewrite = 1; return 1; }
  if (!strcmp(a, "--huge")) { o->huge = 1; return 1; }
  if (!next) return 0;
  ++*i;
  if (!strcmp(a, "--collective")) { o->collective = (enum collective)one_of(collectives, next); return 1; }
  if (!strcmp(a, "--type")) { o->element = (enum element)one_of(types, next); return 1; }
  if (!strcmp(a, "--mode")) { o->throughput = one_of(modes, next); return 1; }
  if (!strcmp(a, "--label")) { o->label = next; return 1; }
  if (!strcmp(a, "--warmup")) { o->warmup = atoi(next); return 1; }
  if (!strcmp(a, "--iters")) { o->iters = atoi(next); return 1; }
  if (!strcmp(a, "--budget")) { o->budget = atof(next); return 1; }
  --*i;
  return 0;
}

/* ---- data ---- */

static inline void *alloc_bytes(size_t n, int huge) {
  void *p = NULL;
  size_t align = (size_t)(huge ? 2 << 20 : 4 << 10);
  size_t bytes = (n + align - 1) / align * align;
  if (posix_memalign(&p, align, bytes ? bytes : align)) fail("out of memory", NULL);
  if (huge) madvise(p, bytes, MADV_HUGEPAGE); /* else whatever the system does by default */
  memset(p, 0, bytes); /* touch every page now */
  return p;
}

static inline uint16_t to_bf16(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16); /* to nearest even; no NaN here */
}

static inline float from_bf16(uint16_t b) {
  uint32_t u = (uint32_t)b << 16;
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

/* The addition for libraries that have no bfloat16. The pragma lets compilers use
   vectors where to is a or b, too. */
static inline void add_bf16(uint16_t *to, const uint16_t *a, const uint16_t *b, size_t n) {
#pragma GCC ivdep
  for (size_t i = 0; i < n; i++) to[i] = to_bf16(from_bf16(a[i]) + from_bf16(b[i]));
}

/* Inputs are integers below this, so that sums of all ranks' are exact. */
static inline int input_limit(const struct peer *p, enum element e) {
  int fits = 256 / p->size;
  return e == FLOAT32 || fits > MODULUS ? MODULUS : fits < 2 ? 2 : fits;
}

static inline int input(int rank, size_t i, int limit) {
  return (int)((i * 31 + i / 1024 + (size_t)rank * 7) % MODULUS) % limit;
}

static inline void store(const struct job *j, void *at, size_t i, float v) {
  if (j->element == FLOAT32) ((float *)at)[i] = v;
  else ((uint16_t *)at)[i] = to_bf16(v);
}

static inline float load(const struct job *j, const void *at, size_t i) {
  return j->element == FLOAT32 ? ((const float *)at)[i] : from_bf16(((const uint16_t *)at)[i]);
}

/* Which elements of the whole array a rank puts in and gets out. */
static inline size_t in_first(const struct job *j, int rank) { return j->collective == ALLGATHER ? (size_t)rank * j->block : 0; }
static inline size_t in_count(const struct job *j) { return j->collective == ALLGATHER ? j->block : j->count; }
static inline size_t out_first(const struct job *j, int rank) { return j->collective == REDUCESCATTER ? (size_t)rank * j->block : 0; }
static inline size_t out_count(const struct job *j) { return j->collective == REDUCESCATTER ? j->block : j->count; }

static inline void fill(const struct peer *p, const struct job *j, void *to) {
  int limit = input_limit(p, j->element);
  size_t first = in_first(j, p->rank), n = in_count(j);
  for (size_t i = 0; i < n; i++) store(j, to, i, (float)input(p->rank, first + i, limit));
}

static inline size_t count_wrong(const struct peer *p, const struct job *j, const void *got) {
  int limit = input_limit(p, j->element);
  float sums[MODULUS]; /* by the value of rank 0 before the limit */
  for (int v = 0; v < MODULUS; v++) {
    int sum = 0;
    for (int r = 0; r < p->size; r++) sum += (v + r * 7) % MODULUS % limit;
    sums[v] = (float)sum;
  }
  size_t wrong = 0, first = out_first(j, p->rank), n = out_count(j);
  for (size_t i = 0; i < n; i++) {
    size_t at = first + i;
    float want;
    if (j->collective == ALLGATHER) want = (float)input((int)(at / j->block), at, limit);
    else if (j->collective == BROADCAST) want = (float)input(0, at, limit);
    else want = sums[(at * 31 + at / 1024) % MODULUS];
    wrong += !(load(j, got, i) == want);
  }
  return wrong;
}

/* The buffers and lengths of one size; count is 0 when no whole block fits. */
static inline struct job layout(const struct peer *p, const struct options *o, size_t bytes) {
  struct job j;
  memset(&j, 0, sizeof j);
  j.collective = o->collective;
  j.element = o->element;
  j.width = o->element == FLOAT32 ? 4 : 2;
  j.in_place = !o->out_of_place;
  j.count = bytes / j.width;
  j.block = j.count / (size_t)p->size;
  if (o->collective == REDUCESCATTER || o->collective == ALLGATHER) j.count = j.block * (size_t)p->size;
  if (j.count == 0) return j;
  j.in = j.out = alloc_bytes(j.count * j.width, o->huge);
  if (o->out_of_place) j.out = alloc_bytes(j.count * j.width, o->huge);
  else if (o->collective == ALLGATHER) j.in = (char *)j.out + (size_t)p->rank * j.block * j.width;
  return j;
}

static inline void release(struct job *j) {
  if (!j->in_place) free(j->in);
  free(j->out);
}

/* ---- measuring ---- */

static volatile uint64_t sink; /* keeps what is read from being left out */

static inline void read_all(const void *from, size_t n) {
  const unsigned char *b = (const unsigned char *)from;
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i += 64) sum += b[i];
  sink += sum;
}

/* One loop's outcome, the same on all ranks; us[i] is the slowest rank's. */
struct timing {
  double mean, cpu;
};

static inline struct timing iterate(struct peer *p, const struct options *o, const struct job *j, const void *fresh, int n, double *us) {
  double total = 0, cpu = 0;
  p->barrier(p);
  double used = cpu_us(), begin = now_us();
  for (int i = 0; i < n; i++) {
    if (fresh) {
      memcpy(j->in, fresh, in_count(j) * j->width);
      begin = now_us();
    }
    if (!o->throughput) {
      p->barrier(p);
      begin = now_us();
    }
    void *result = p->run(p, j);
    if (fresh) read_all(result, out_count(j) * j->width);
    double end = now_us();
    us[i] = end - begin;
    total += us[i];
    begin = end;
    if (p->settle) {
      p->settle(p);
      begin = now_us();
    }
  }
  cpu = (cpu_us() - used) / n;
  p->fold(p, us, n, FOLD_MAX);
  p->fold(p, &total, 1, FOLD_MAX);
  p->fold(p, &cpu, 1, FOLD_SUM);
  struct timing t = {total / n, cpu};
  if (!o->throughput) {
    t.mean = 0;
    for (int i = 0; i < n; i++) t.mean += us[i] / n;
  }
  return t;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts n times; the lower of two in the middle, as in arbench. */
static inline double median(double *us, int n) {
  qsort(us, (size_t)n, sizeof *us, by_value);
  return us[(n + 1) / 2 - 1];
}

/* How many iterations of us microseconds fit into the seconds: LEAST to most. */
static inline int fit(double seconds, double us, int most) {
  double n = us > 0 ? seconds * 1e6 / us : most;
  if (n < LEAST) n = LEAST;
  return n > most ? most : (int)n;
}

static inline void report(const struct peer *p, const struct options *o, const struct job *j, int n, double *us, struct timing t, double wrong) {
  if (p->rank != 0) return;
  double middle = median(us, n); /* sorts */
  double p99 = us[(int)ceil(0.99 * n) - 1];
  printf("%s,%s,%d,%zu,%d,%.3f,%.3f,%.3f,%.0f,%.3f,%.3f\n", p->library, o->label ? o->label : p->config, p->size,
         j->count * j->width, n, us[0], middle, p99, wrong, t.mean, t.cpu);
  fflush(stdout);
}

/* Runs once and returns the number of wrong elements on all ranks. */
static inline double verify(struct peer *p, const struct job *j) {
  p->barrier(p);
  double wrong = (double)count_wrong(p, j, p->run(p, j));
  if (p->settle) p->settle(p);
  p->fold(p, &wrong, 1, FOLD_SUM);
  return wrong;
}

/* Warms up and returns the time of an iteration. The first ones may be far slower
   than the others, so there are more until the time is over or their number full. */
static inline double warm_up(struct peer *p, const struct options *o, const struct job *j, const void *fresh, double *us) {
  double left = o->budget / 4, each;
  struct timing t = iterate(p, o, j, fresh, 1, us);
  each = us[0];
  for (int done = 0; done < o->warmup && left > 0;) {
    int n = fit(left, each, o->warmup - done);
    t = iterate(p, o, j, fresh, n, us);
    each = median(us, n);
    left -= t.mean * n * 1e-6 + 1e-9;
    done += n;
  }
  return each;
}

static inline void measure_size(struct peer *p, const struct options *o, size_t bytes) {
  struct job j = layout(p, o, bytes);
  if (j.count == 0) return;
  p->begin(p, &j);
  fill(p, &j, j.in);
  double wrong = verify(p, &j);

  /* Zeros, so that sums in place stay finite, unless inputs are written each time. */
  void *fresh = NULL;
  memset(j.in, 0, in_count(&j) * j.width);
  if (o->rewrite) {
    fresh = alloc_bytes(in_count(&j) * j.width, o->huge);
    fill(p, &j, fresh);
  }
  int most = o->iters > o->warmup ? o->iters : o->warmup;
  double *us = (double *)malloc(sizeof *us * (size_t)most);
  if (!us) fail("out of memory", NULL);
  int iters = fit(o->budget, warm_up(p, o, &j, fresh, us), o->iters);
  struct timing t = iterate(p, o, &j, fresh, iters, us);
  report(p, o, &j, iters, us, t, wrong);
  free(us);
  free(fresh);
  p->end(p);
  release(&j);
}

static inline void measure(struct peer *p, const struct options *o) {
  if (o->iters < 1 || o->warmup < 0 || o->nsizes == 0) fail("want --iters of 1 or more, --warmup of 0 or more, and a SIZE", NULL);
  for (int i = 0; i < o->nsizes; i++) measure_size(p, o, o->sizes[i]);
}

#endif
