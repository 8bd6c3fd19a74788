/* Fits a line with the typed calls of ops.h, backward and a handwritten SGD step. */
#include <mindtorch/ops.h>
#include <stdio.h>
#include <stdlib.h>

static void check(mt_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", mt_status_kind(status), mt_status_message(status));
  mt_status_release(status);
  exit(1);
}

static mt_tensor* column(const float* numbers, int64_t rows) {
  const int64_t sizes[] = {rows, 1};
  mt_tensor* out;
  check(mt_tensor_from_copy(numbers, sizes, 2, MT_FLOAT32, &out));
  return out;
}

/* parameter -= rate * gradient, without recording; then clears the gradient. */
static void descend(mt_tensor* parameter, double rate) {
  mt_tensor* gradient;
  check(mt_tensor_grad(parameter, &gradient));
  check(mt_mode_set(MT_MODE_GRAD, 0));
  check(mt_aten_add__Tensor(parameter, gradient, mt_double(-rate), NULL)); /* NULL: discards the result */
  check(mt_mode_set(MT_MODE_GRAD, 1));
  check(mt_tensor_set_grad(parameter, NULL));
  mt_tensor_release(gradient);
}

int main(void) {
  const float xs[] = {-2, -1, 0, 1, 2}, ys[] = {-5, -3, -1, 1, 3}; /* y = 2 x - 1 */
  const float zero[] = {0};
  const int64_t one[] = {1};
  mt_tensor *x = column(xs, 5), *y = column(ys, 5), *weight = column(zero, 1), *bias;
  int step;
  check(mt_tensor_from_copy(zero, one, 1, MT_FLOAT32, &bias));
  check(mt_tensor_set_requires_grad(weight, 1));
  check(mt_tensor_set_requires_grad(bias, 1));

  for (step = 0; step < 100; ++step) {
    mt_tensor *guess, *loss;
    check(mt_aten_linear(x, weight, bias, &guess));
    check(mt_aten_mse_loss(guess, y, 1, &loss)); /* 1: the mean */
    check(mt_autograd_backward(&loss, NULL, 1, 0, 0, NULL, 0));
    descend(weight, 0.1);
    descend(bias, 0.1);
    mt_tensor_release(loss);
    mt_tensor_release(guess);
  }

  {
    mt_value w, b;
    check(mt_tensor_item(weight, &w));
    check(mt_tensor_item(bias, &b));
    printf("y = %.3f x %+.3f\n", w.as.d, b.as.d);
  }
  mt_tensor_release(bias);
  mt_tensor_release(weight);
  mt_tensor_release(y);
  mt_tensor_release(x);
  return 0;
}
