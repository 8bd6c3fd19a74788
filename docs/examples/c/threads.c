/* Several threads call the library: each has its own modes and warning handler, and they share read-only tensors. */
#include <mindtorch/ops.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void check(mt_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", mt_status_kind(status), mt_status_message(status));
  mt_status_release(status);
  exit(1);
}

typedef struct job {
  mt_tensor *weights, *out; /* all threads read the weights */
  double factor;
} job;

static void* infer(void* argument) {
  job* mine = argument;
  mt_tensor* scaled;
  check(mt_mode_set(MT_MODE_GRAD, 0)); /* for this thread only */
  check(mt_aten_mul_Scalar(mine->weights, mt_double(mine->factor), &scaled));
  check(mt_aten_sum(scaled, -1, &mine->out));
  mt_tensor_release(scaled);
  return NULL;
}

int main(void) {
  const float numbers[] = {1, 2, 3, 4};
  const int64_t sizes[] = {4};
  pthread_t threads[3];
  job jobs[3];
  mt_tensor* weights;
  int i;
  check(mt_tensor_from_copy(numbers, sizes, 1, MT_FLOAT32, &weights));
  check(mt_tensor_set_requires_grad(weights, 1));
  check(mt_threads_set(1)); /* the size of the library's pool, for single large calls; services use one thread per request */
  for (i = 0; i < 3; ++i) {
    jobs[i].weights = weights;
    jobs[i].factor = i + 1;
    pthread_create(&threads[i], NULL, infer, &jobs[i]);
  }
  for (i = 0; i < 3; ++i) {
    mt_value sum;
    pthread_join(threads[i], NULL);
    check(mt_tensor_item(jobs[i].out, &sum));
    printf("%g\n", sum.as.d);
    mt_tensor_release(jobs[i].out); /* any thread may release */
  }
  mt_tensor_release(weights);
  return 0;
}
