/* Adds two tensors and prints the sum; checks statuses and releases handles. */
#include <mindtorch/mindtorch.h>
#include <stdio.h>
#include <stdlib.h>

static void check(mt_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", mt_status_kind(status), mt_status_message(status));
  mt_status_release(status);
  exit(1);
}

int main(void) {
  const float numbers[] = {1, 2, 3, 4, 5, 6};
  const int64_t sizes[] = {2, 3};
  const mt_op* add;
  mt_tensor* x;
  mt_value args[2], sum;
  int64_t results, i;
  void* elements;

  check(mt_init()); /* optional: the first call does it too, but here a broken installation is reported early */
  check(mt_tensor_from_copy(numbers, sizes, 2, MT_FLOAT32, &x));

  check(mt_op_find("add", "Tensor", &add)); /* never freed; find it once */
  args[0].tag = args[1].tag = MT_TAG_TENSOR;
  args[0].flags = args[1].flags = 0;
  args[0].as.tensor = args[1].as.tensor = x; /* borrowed by the call */
  check(mt_op_call(add, args, 2, &sum, 1, &results));

  check(mt_tensor_data(sum.as.tensor, &elements));
  for (i = 0; i < 6; ++i) printf("%g ", ((float*)elements)[i]);
  printf("\n");

  mt_value_clear(&sum); /* we own the result */
  mt_tensor_release(x);
  return 0;
}
