/* A custom operator: x * x + c, with a kernel for the CPU and a derivative. */
#include <mindtorch/ops.h>
#include <stdio.h>
#include <stdlib.h>

static void check(mt_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", mt_status_kind(status), mt_status_message(status));
  mt_status_release(status);
  exit(1);
}

/* Processes one run of elements; the iterator handles broadcasting and strides, and calls it from several threads. */
static mt_status* square_run(void* user, char* const* data, const int64_t* strides, int64_t count) {
  const float c = (float)*(const double*)user;
  int64_t i;
  for (i = 0; i < count; ++i) {
    const float x = *(const float*)(data[1] + i * strides[1]);
    *(float*)(data[0] + i * strides[0]) = x * x + c;
  }
  return NULL;
}

static mt_status* kernel(void* user, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  mt_tensor_info info;
  mt_tensor* tensors[2] = {NULL, NULL};
  double c = args[1].as.d;
  mt_status* status;
  (void)user, (void)op, (void)keys, (void)n, (void)n_rets;
  info.struct_size = sizeof info;
  status = mt_tensor_get_info(args[0].as.tensor, &info);
  if (status == NULL && info.dtype != MT_FLOAT32) status = mt_status_create("TypeError", "square_plus takes float32");
  if (status == NULL) status = mt_tensor_empty(info.sizes, info.ndim, info.dtype, info.device, &tensors[0]);
  if (status != NULL) return status;
  tensors[1] = args[0].as.tensor;
  status = mt_iter_run(tensors, 2, 32768, square_run, &c);
  if (status != NULL) {
    mt_tensor_release(tensors[0]);
    return status;
  }
  rets[0] = mt_box_tensor(tensors[0]);
  rets[0].flags = MT_FLAG_OWNED; /* the caller owns the result */
  return NULL;
}

/* d/dx = 2 x, computed with operators, so that autograd can differentiate it again. */
static mt_status* derivative(void* user, const mt_op* op, const mt_value* grads, int64_t n_grads, const mt_value* args, int64_t n_args,
                             const mt_value* results, int64_t n_results, mt_value* grad_args) {
  mt_tensor *twice = NULL, *product = NULL;
  mt_status* status = mt_aten_mul_Scalar(args[0].as.tensor, mt_double(2), &twice);
  (void)user, (void)op, (void)n_grads, (void)n_args, (void)results, (void)n_results;
  if (status == NULL) status = mt_aten_mul_Tensor(grads[0].as.tensor, twice, &product);
  mt_tensor_release(twice);
  if (status != NULL) return status;
  grad_args[0] = mt_box_tensor(product);
  grad_args[0].flags = MT_FLAG_OWNED;
  grad_args[1] = mt_none();
  return NULL;
}

int main(void) {
  const float numbers[] = {1, 2, 3};
  const int64_t sizes[] = {3};
  const mt_op* op;
  mt_tensor *x, *total, *gradient;
  mt_value args[2], result;
  int64_t n;
  float* elements;

  check(mt_op_define("mine::square_plus(Tensor x, float c=1.0) -> Tensor", &op));
  check(mt_op_register_kernel(op, MT_KEY_CPU, kernel, NULL, NULL));
  check(mt_op_register_derivative(op, derivative, NULL, NULL));

  check(mt_tensor_from_copy(numbers, sizes, 1, MT_FLOAT32, &x));
  check(mt_tensor_set_requires_grad(x, 1));
  args[0] = mt_box_tensor(x);
  args[1] = mt_double(0.5);
  check(mt_op_call(op, args, 2, &result, 1, &n));
  check(mt_tensor_data(result.as.tensor, (void**)&elements));
  printf("value    %g %g %g\n", elements[0], elements[1], elements[2]);

  check(mt_aten_sum(result.as.tensor, -1, &total)); /* -1: no dtype given */
  check(mt_autograd_backward(&total, NULL, 1, 0, 0, NULL, 0));
  check(mt_tensor_grad(x, &gradient));
  check(mt_tensor_data(gradient, (void**)&elements));
  printf("gradient %g %g %g\n", elements[0], elements[1], elements[2]);

  mt_tensor_release(gradient);
  mt_tensor_release(total);
  mt_value_clear(&result);
  mt_tensor_release(x);
  return 0;
}
