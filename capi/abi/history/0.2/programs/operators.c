/* Defines an operator with a kernel and a derivative, calls it in all the ways there are, and differentiates it twice. */
#include <mindtorch/mindtorch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(mt_status* status) {
  if (status == NULL) return;
  printf("%s: %s\n", mt_status_kind(status), mt_status_message(status));
  mt_status_release(status);
  exit(1);
}

static mt_value of_tensor(mt_tensor* tensor) {
  mt_value value = {MT_TAG_TENSOR, 0, {0}};
  value.as.tensor = tensor;
  return value;
}
static mt_value of_double(double number) {
  mt_value value = {MT_TAG_DOUBLE, 0, {0}};
  value.as.d = number;
  return value;
}
static mt_tensor* vector(const double* numbers, int64_t count) {
  mt_tensor* tensor;
  void* data;
  mt_device cpu = {MT_CPU, -1};
  check(mt_tensor_empty(&count, 1, MT_FLOAT64, cpu, &tensor));
  check(mt_tensor_data(tensor, &data));
  memcpy(data, numbers, (size_t)count * sizeof(double));
  return tensor;
}
static void show(const char* what, const mt_tensor* tensor) {
  mt_tensor_info info;
  void* data;
  info.struct_size = sizeof info;
  check(mt_tensor_get_info(tensor, &info));
  check(mt_tensor_data(tensor, &data));
  printf("%s:", what);
  for (int64_t i = 0; i < info.numel; ++i) printf(" %g", ((const double*)data)[i]);
  printf("\n");
}

/* scale_square(x, factor) = factor x^2 */
static mt_status* scale_square(void* user, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets,
                               int64_t n_rets) {
  mt_value two[2], square;
  mt_status* failed;
  (void)op, (void)keys, (void)n, (void)n_rets;
  ++*(int*)user;
  two[0] = two[1] = args[0];
  failed = mt_dispatch("mul", "Tensor", two, 2, &square, 1, NULL);
  if (failed) return failed;
  two[0] = square;
  two[1] = args[1];
  failed = mt_dispatch("mul", "Scalar", two, 2, rets, 1, NULL);
  mt_value_clear(&square);
  return failed;
}

/* 2 factor x g */
static mt_status* derivative(void* user, const mt_op* op, const mt_value* grads, int64_t n_grads, const mt_value* args, int64_t n_args,
                             const mt_value* results, int64_t n_results, mt_value* grad_args) {
  mt_value two[2], product;
  mt_status* failed;
  (void)user, (void)op, (void)n_grads, (void)n_args, (void)results, (void)n_results;
  two[0] = grads[0];
  two[1] = args[0];
  failed = mt_dispatch("mul", "Tensor", two, 2, &product, 1, NULL);
  if (failed) return failed;
  two[0] = product;
  two[1] = of_double(2 * args[1].as.d);
  failed = mt_dispatch("mul", "Scalar", two, 2, &grad_args[0], 1, NULL);
  mt_value_clear(&product);
  grad_args[1].tag = MT_TAG_NONE;
  return failed;
}

static void destroyed(void* user) { printf("kernel gone after %d calls\n", *(int*)user); }

int main(void) {
  static int calls;
  const double numbers[] = {1, -2, 3};
  const char* factor_name = "factor";
  const mt_op* op;
  mt_op_info info;
  mt_value args[2], named, result;
  mt_tensor *x, *y, *sum, *first[1], *second[1];
  int64_t given;

  check(mt_op_define("history::scale_square(Tensor self, float factor=1.0) -> Tensor", &op));
  check(mt_op_register_kernel(op, MT_KEY_CPU, scale_square, &calls, destroyed));
  check(mt_op_register_derivative(op, derivative, NULL, NULL));
  info.struct_size = sizeof info;
  check(mt_op_get_info(op, &info));
  printf("%s\n", info.schema);

  x = vector(numbers, 3);
  check(mt_tensor_set_requires_grad(x, 1));
  args[0] = of_tensor(x);
  check(mt_op_call(op, args, 1, &result, 1, &given));
  show("default", result.as.tensor);
  mt_value_clear(&result);
  named = of_double(0.5);
  check(mt_op_call_named(op, args, 1, &factor_name, &named, 1, &result, 1, &given));
  y = result.as.tensor;
  show("named", y);

  args[0] = of_tensor(y);
  check(mt_dispatch("sum", "", args, 1, &result, 1, NULL));
  sum = result.as.tensor;
  check(mt_autograd_grad(&sum, NULL, 1, &x, 1, 1, 1, 0, first));
  show("gradient", first[0]);
  args[0] = of_tensor(first[0]);
  check(mt_dispatch("sum", "", args, 1, &result, 1, NULL));
  check(mt_autograd_grad(&result.as.tensor, NULL, 1, &x, 1, 0, 0, 0, second));
  show("second", second[0]);

  {
    mt_status* refused = mt_op_call(op, args, 0, &result, 1, &given);
    printf("without arguments: %s\n", mt_status_kind(refused));
    mt_status_release(refused);
  }
  check(mt_op_register_kernel(op, MT_KEY_CPU, NULL, NULL, NULL));
  mt_tensor_release(x);
  mt_tensor_release(y);
  mt_tensor_release(sum);
  mt_tensor_release(first[0]);
  mt_tensor_release(second[0]);
  return 0;
}
