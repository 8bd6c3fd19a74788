/* The costs that the other programs of this folder measure, in C: the floor. */
#define _POSIX_C_SOURCE 200809L
#include <mindtorch/ops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(mt_status* status) {
  if (!status) return;
  fprintf(stderr, "%s: %s\n", mt_status_kind(status), mt_status_message(status));
  exit(1);
}

static mt_tensor *a, *b, *square, *numbers;
static double* elements;
enum { COUNT = 1000000 };

static void add(void) {
  mt_tensor* result;
  check(mt_aten_add_Tensor(a, b, mt_int(1), &result));
  mt_tensor_release(result);
}
static void mm(void) {
  mt_tensor* result;
  check(mt_aten_mm(square, square, &result));
  mt_tensor_release(result);
}
static void in(void) {
  const int64_t size = COUNT;
  mt_tensor* result;
  check(mt_tensor_from_copy(elements, &size, 1, MT_FLOAT64, &result));
  mt_tensor_release(result);
}
static void out(void) {
  void* data;
  check(mt_tensor_data(numbers, &data));
  memcpy(elements, data, sizeof(double) * COUNT);
}

static void measure(const char* name, int repeats, int rounds, void (*call)(void)) {
  double best = 1e9;
  int round, i;
  call();
  for (round = 0; round < rounds; ++round) {
    const double begun = now();
    double took;
    for (i = 0; i < repeats; ++i) call();
    took = (now() - begun) / repeats;
    if (took < best) best = took;
  }
  printf("%s %.9f\n", name, best);
}

int main(void) {
  const int64_t one = 1, sides[2] = {1024, 1024}, size = COUNT;
  const float element = 1;
  float* ones = malloc(sizeof(float) * 1024 * 1024);
  int i;
  elements = calloc(COUNT, sizeof(double));
  if (!ones || !elements) return 1;
  for (i = 0; i < 1024 * 1024; ++i) ones[i] = 1;
  check(mt_tensor_from_copy(&element, &one, 1, MT_FLOAT32, &a));
  check(mt_tensor_from_copy(&element, &one, 1, MT_FLOAT32, &b));
  check(mt_tensor_from_copy(ones, sides, 2, MT_FLOAT32, &square));
  check(mt_tensor_from_copy(elements, &size, 1, MT_FLOAT64, &numbers));
  measure("add", 500, 400, add);
  measure("mm", 1, 10, mm);
  measure("in", 1, 20, in);
  measure("out", 1, 20, out);
  return 0;
}
