/* Typed calls: with all arguments, and short ones, in which arguments keep their defaults. */
#include <mindtorch/ops.h>
#include <mindtorch/ops_short.h>
#include <stdio.h>
#include <stdlib.h>

static void check(mt_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s\n", mt_status_message(status));
  exit(1);
}

static void print(const char* name, mt_tensor* loss) {
  mt_value number;
  check(mt_tensor_item(loss, &number));
  printf("%s %.4f\n", name, number.as.d);
  mt_tensor_release(loss);
}

int main(void) {
  const float predicted[] = {1, 2, 3}, wanted[] = {1, 1, 1};
  const int64_t sizes[] = {3};
  mt_tensor *x, *y, *loss;
  check(mt_tensor_from_copy(predicted, sizes, 1, MT_FLOAT32, &x));
  check(mt_tensor_from_copy(wanted, sizes, 1, MT_FLOAT32, &y));

  check(mt_aten_mse_loss(x, y, MT_REDUCTION_SUM, &loss));
  print("sum", loss);
  check(mt_short_aten_mse_loss(x, y, &loss)); /* int reduction=Mean */
  print("mean", loss);
  check(mt_aten_huber_loss(x, y, MT_REDUCTION_MEAN, 0.5, &loss));
  print("huber", loss);
  check(mt_short_aten_huber_loss(x, y, &loss)); /* float delta=1.0 */
  print("huber", loss);

  mt_tensor_release(x);
  mt_tensor_release(y);
  return 0;
}
