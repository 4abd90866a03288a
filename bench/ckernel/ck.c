// ck times an in-place float32 sum, b = a + b, written with AVX-512 intrinsics,
// and memcpy from a to b. It prints one line for each operation and size:
//
//	operation size min_ns median_ns min_GB/s median_GB/s
//
// The time is that of one call, taken over batches of about 20 ms each; GB is
// 10^9 bytes moved: the sum moves 3n (a and b read, b written), the copy 2n
// (a read, b written); what the cache reads before a write is not counted.
//
//	gcc -O3 -mavx512f -o ck ck.c && ./ck
#define _GNU_SOURCE
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { BATCHES = 10, LANES = 16 };
static const double batch_ns = 20e6;

typedef void operation(float *b, const float *a, size_t n);

// The same instructions as sumFloat32AVX512 of package reduce, four registers a
// round. n is a multiple of 64 elements.
__attribute__((noinline)) static void sum(float *b, const float *a, size_t n) {
	for (size_t i = 0; i < n; i += 4 * LANES) {
		__m512 x0 = _mm512_loadu_ps(a + i);
		__m512 x1 = _mm512_loadu_ps(a + i + LANES);
		__m512 x2 = _mm512_loadu_ps(a + i + 2 * LANES);
		__m512 x3 = _mm512_loadu_ps(a + i + 3 * LANES);
		x0 = _mm512_add_ps(x0, _mm512_loadu_ps(b + i));
		x1 = _mm512_add_ps(x1, _mm512_loadu_ps(b + i + LANES));
		x2 = _mm512_add_ps(x2, _mm512_loadu_ps(b + i + 2 * LANES));
		x3 = _mm512_add_ps(x3, _mm512_loadu_ps(b + i + 3 * LANES));
		_mm512_storeu_ps(b + i, x0);
		_mm512_storeu_ps(b + i + LANES, x1);
		_mm512_storeu_ps(b + i + 2 * LANES, x2);
		_mm512_storeu_ps(b + i + 3 * LANES, x3);
	}
}

__attribute__((noinline)) static void copy(float *b, const float *a, size_t n) {
	memcpy(b, a, n * sizeof *a);
}

static double now_ns(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * t.tv_sec + t.tv_nsec;
}

static int by_value(const void *x, const void *y) {
	double d = *(const double *)x - *(const double *)y;
	return (d > 0) - (d < 0);
}

// batch is the nanoseconds of one call out of calls.
static double batch(operation *f, float *b, const float *a, size_t n, long calls) {
	double start = now_ns();
	for (long i = 0; i < calls; i++)
		f(b, a, n);
	return (now_ns() - start) / calls;
}

static void measure(const char *name, operation *f, int moves, const char *label, size_t bytes, float *b, const float *a) {
	size_t n = bytes / sizeof *a;
	double ns[BATCHES];
	batch(f, b, a, n, 1);
	long calls = batch_ns / batch(f, b, a, n, 3) + 1;
	for (int i = 0; i < BATCHES; i++)
		ns[i] = batch(f, b, a, n, calls);
	qsort(ns, BATCHES, sizeof *ns, by_value);
	double median = ns[BATCHES / 2], moved = (double)moves * bytes;
	printf("%s %s %.1f %.1f %.2f %.2f\n", name, label, ns[0], median, moved / ns[0], moved / median);
}

static float *pages(size_t bytes) {
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	memset(p, 0, bytes);
	return p;
}

int main(void) {
	static const struct { const char *label; size_t bytes; } sizes[] = {
		{"32K", 32 << 10}, {"256K", 256 << 10}, {"1M", 1 << 20},
		{"8M", 8 << 20}, {"64M", 64 << 20}, {"256M", 256 << 20},
	};
	const int count = sizeof sizes / sizeof *sizes;
	float *a = pages(sizes[count - 1].bytes), *b = pages(sizes[count - 1].bytes);
	for (int i = 0; i < count; i++) {
		measure("sum", sum, 3, sizes[i].label, sizes[i].bytes, b, a);
		measure("memcpy", copy, 2, sizes[i].label, sizes[i].bytes, b, a);
	}
	return 0;
}
