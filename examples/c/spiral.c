/* Trains a network of two layers on three spirals through the C ABI. */
#include <math.h>
#include <mindtorch/mindtorch.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARMS = 3, POINTS = 100, HIDDEN = 64, STEPS = 400, PARAMETERS = 4 };

/* Every function that can fail returns a status; NULL is success. */
static void check(mt_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", mt_status_kind(status), mt_status_message(status));
  mt_status_release(status);
  exit(1);
}

/* ---- boxed arguments ---- */

static mt_value of_tensor(mt_tensor* tensor) {
  mt_value value = {MT_TAG_TENSOR, 0, {0}};
  value.as.tensor = tensor;
  return value;
}

static mt_value of_int(int64_t number) {
  mt_value value = {MT_TAG_INT, 0, {0}};
  value.as.i = number;
  return value;
}

static mt_value of_double(double number) {
  mt_value value = {MT_TAG_DOUBLE, 0, {0}};
  value.as.d = number;
  return value;
}

static mt_value of_sizes(const int64_t* sizes, int64_t count) {
  mt_value value = {MT_TAG_INTS, 0, {0}};
  value.as.list.data = sizes;
  value.as.list.size = count;
  return value;
}

/* Calls an operator with one tensor result, which the caller owns. */
static mt_tensor* call(const char* name, const char* overload, const mt_value* args, int64_t count) {
  const mt_op* op;
  mt_value result;
  int64_t results;
  check(mt_op_find(name, overload, &op));
  check(mt_op_call(op, args, count, &result, 1, &results));
  return result.as.tensor;
}

/* Like call, for operators that return their first argument. */
static void call_in_place(const char* name, const char* overload, const mt_value* args, int64_t count) {
  mt_tensor_release(call(name, overload, args, count));
}

/* ---- the data ---- */

static void make_spirals(mt_tensor** points, mt_tensor** labels) {
  static float xy[ARMS * POINTS][2];
  static int64_t arm_of[ARMS * POINTS];
  const double turn = 6.283185307179586;
  const int64_t shape[] = {ARMS * POINTS, 2};
  int arm, i;
  for (arm = 0; arm < ARMS; ++arm) {
    for (i = 0; i < POINTS; ++i) {
      const double radius = (i + 1) / (double)POINTS;
      const double angle = arm * turn / ARMS + 4 * radius + 0.1 * sin(37.0 * i);
      xy[arm * POINTS + i][0] = (float)(radius * cos(angle));
      xy[arm * POINTS + i][1] = (float)(radius * sin(angle));
      arm_of[arm * POINTS + i] = arm;
    }
  }
  check(mt_tensor_from_copy(xy, shape, 2, MT_FLOAT32, points));
  check(mt_tensor_from_copy(arm_of, shape, 1, MT_INT64, labels));
}

/* ---- the network ---- */

static mt_tensor* make_parameter(const char* factory, const int64_t* sizes, int64_t count, double scale) {
  mt_value args[2];
  mt_tensor* tensor;
  args[0] = of_sizes(sizes, count);
  tensor = call(factory, "", args, 1);
  args[0] = of_tensor(tensor);
  args[1] = of_double(scale);
  call_in_place("mul_", "Scalar", args, 2);
  check(mt_tensor_set_requires_grad(tensor, 1));
  return tensor;
}

static mt_tensor* linear(mt_tensor* input, mt_tensor* weight, mt_tensor* bias) {
  mt_value args[3];
  args[0] = of_tensor(input);
  args[1] = of_tensor(weight);
  args[2] = of_tensor(bias);
  return call("linear", "", args, 3);
}

static mt_tensor* forward(mt_tensor* points, mt_tensor** parameters) {
  mt_tensor* hidden = linear(points, parameters[0], parameters[1]);
  mt_value args[1];
  mt_tensor *active, *logits;
  args[0] = of_tensor(hidden);
  active = call("tanh", "", args, 1);
  logits = linear(active, parameters[2], parameters[3]);
  mt_tensor_release(hidden);
  mt_tensor_release(active);
  return logits;
}

static void descend(mt_tensor** parameters, double rate) {
  int i;
  check(mt_mode_set(MT_MODE_GRAD, 0));
  for (i = 0; i < PARAMETERS; ++i) {
    mt_tensor* grad;
    mt_value args[3];
    check(mt_tensor_grad(parameters[i], &grad));
    args[0] = of_tensor(parameters[i]);
    args[1] = of_tensor(grad);
    args[2] = of_double(-rate); /* alpha: in calls by position, keyword-only arguments follow the others */
    call_in_place("add_", "Tensor", args, 3);
    mt_tensor_release(grad);
    check(mt_tensor_set_grad(parameters[i], NULL));
  }
  check(mt_mode_set(MT_MODE_GRAD, 1));
}

static double item(mt_tensor* tensor) {
  mt_value number;
  check(mt_tensor_item(tensor, &number));
  return number.as.d;
}

static double accuracy(mt_tensor* logits, mt_tensor* labels) {
  mt_value args[2];
  mt_tensor *guess, *hit, *count;
  mt_value number;
  args[0] = of_tensor(logits);
  args[1] = of_int(1);
  guess = call("argmax", "", args, 2);
  args[0] = of_tensor(guess);
  args[1] = of_tensor(labels);
  hit = call("eq", "Tensor", args, 2);
  args[0] = of_tensor(hit);
  count = call("sum", "", args, 1);
  check(mt_tensor_item(count, &number));
  mt_tensor_release(guess);
  mt_tensor_release(hit);
  mt_tensor_release(count);
  return number.as.i / (double)(ARMS * POINTS);
}

int main(void) {
  const int64_t first[] = {HIDDEN, 2}, second[] = {ARMS, HIDDEN}, hidden[] = {HIDDEN}, arms[] = {ARMS};
  mt_tensor *points, *labels, *parameters[PARAMETERS];
  mt_generator* generator;
  int step, i;

  printf("mindtorch %s, ABI %d, %d threads, %s\n", mt_version(), mt_abi_version(), mt_threads_get(), mt_cpu_capability());
  make_spirals(&points, &labels);
  check(mt_generator_default(&generator));
  check(mt_generator_seed(generator, 7));
  mt_generator_release(generator);
  parameters[0] = make_parameter("randn", first, 2, 1.0);
  parameters[1] = make_parameter("zeros", hidden, 1, 1.0);
  parameters[2] = make_parameter("randn", second, 2, 0.125);
  parameters[3] = make_parameter("zeros", arms, 1, 1.0);

  for (step = 1; step <= STEPS; ++step) {
    mt_tensor* logits = forward(points, parameters);
    mt_value args[2];
    mt_tensor* loss;
    args[0] = of_tensor(logits);
    args[1] = of_tensor(labels);
    loss = call("cross_entropy_loss", "", args, 2);
    check(mt_autograd_backward(&loss, NULL, 1, 0, 0, NULL, 0));
    descend(parameters, 1.0);
    if (step == 1 || step % 100 == 0) printf("step %d: loss %.6f, accuracy %.4f\n", step, item(loss), accuracy(logits, labels));
    mt_tensor_release(loss);
    mt_tensor_release(logits);
  }

  for (i = 0; i < PARAMETERS; ++i) mt_tensor_release(parameters[i]);
  mt_tensor_release(points);
  mt_tensor_release(labels);
  return 0;
}
