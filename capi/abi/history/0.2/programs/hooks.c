/* Hooks of tensors and nodes, saved tensors, warnings, statuses with a payload, and a custom function. */
#include <mindtorch/box.h>
#include <mindtorch/mindtorch.h>
#include <stdio.h>
#include <stdlib.h>

static void check(mt_status* status) {
  if (status == NULL) return;
  printf("%s: %s\n", mt_status_kind(status), mt_status_message(status));
  mt_status_release(status);
  exit(1);
}
static mt_tensor* number(double value) {
  mt_value boxed = mt_double(value);
  mt_tensor* tensor;
  check(mt_tensor_from_scalar(&boxed, MT_FLOAT64, 0, &tensor));
  return tensor;
}
static double value_of(const mt_tensor* tensor) {
  mt_value value;
  check(mt_tensor_item(tensor, &value));
  return value.as.d;
}
static mt_tensor* multiply(mt_tensor* a, mt_tensor* b) {
  mt_value args[2], result;
  args[0] = mt_box_tensor(a);
  args[1] = mt_box_tensor(b);
  check(mt_dispatch("mul", "Tensor", args, 2, &result, 1, NULL));
  return result.as.tensor;
}

static mt_status* tenfold(void* user, mt_tensor* grad, mt_tensor** replacement) {
  mt_tensor* ten = number(10);
  printf("%s sees %g\n", (const char*)user, value_of(grad));
  *replacement = multiply(grad, ten);
  mt_tensor_release(ten);
  return NULL;
}
static mt_status* refuse(void* user, mt_tensor* grad, mt_tensor** replacement) {
  (void)grad, (void)replacement;
  return mt_status_create_with_payload("ValueError", "the hook refuses", user, NULL);
}
static mt_status* after(void* user, mt_tensor* const* grads, int64_t n, mt_tensor* const* incoming, int64_t n_incoming,
                        mt_tensor** replacement, int32_t* replaced) {
  (void)user, (void)grads, (void)replacement, (void)replaced;
  printf("node gave %d gradients for %d, the first incoming is %g\n", (int)n, (int)n_incoming, value_of(incoming[0]));
  return NULL;
}
static void gone(void* user) { printf("%s is gone\n", (const char*)user); }

static mt_status* pack(void* user, mt_tensor* tensor, void** packed) {
  ++*(int*)user;
  mt_tensor_retain(tensor);
  *packed = tensor;
  return NULL;
}
static mt_status* unpack(void* user, void* packed, mt_tensor** out) {
  *(int*)user += 100;
  mt_tensor_retain((mt_tensor*)packed);
  *out = (mt_tensor*)packed;
  return NULL;
}
static void destroy_packed(void* user, void* packed) {
  (void)user;
  mt_tensor_release((mt_tensor*)packed);
}

static mt_status* warned(void* user, const char* category, const char* message) {
  (void)user;
  printf("%s: %s\n", category, message);
  return NULL;
}

static mt_status* negate(void* user, mt_node* node, mt_tensor* const* grads, int64_t n, mt_tensor** out, int64_t n_out) {
  mt_tensor* minus = number(-1);
  (void)user, (void)node, (void)n, (void)n_out;
  out[0] = multiply(grads[0], minus);
  mt_tensor_release(minus);
  return NULL;
}

int main(void) {
  mt_tensor *x = number(3), *y, *grad;
  mt_node* node;
  int64_t id;
  int counted = 0;
  mt_saved_hooks saved = {0};
  mt_function_vtable function = {0};
  mt_status* failed;
  int32_t needed, flag = 0;

  check(mt_tensor_set_requires_grad(x, 1));

  saved.struct_size = sizeof saved;
  saved.pack = pack;
  saved.unpack = unpack;
  saved.destroy_packed = destroy_packed;
  check(mt_saved_hooks_push(&saved, &counted));
  y = multiply(x, x);
  check(mt_saved_hooks_pop());
  check(mt_tensor_add_hook(y, tenfold, "y", gone, &id));
  check(mt_tensor_grad_fn(y, &node));
  check(mt_node_add_hook(node, 0, after, "node", gone, &id));
  check(mt_autograd_backward(&y, NULL, 1, 0, 0, NULL, 0));
  check(mt_tensor_grad(x, &grad));
  printf("gradient %g, packed and unpacked %d\n", value_of(grad), counted);
  mt_tensor_release(grad);
  mt_node_release(node);
  mt_tensor_release(y);

  y = multiply(x, x);
  check(mt_tensor_add_hook(y, refuse, &counted, NULL, &id));
  failed = mt_autograd_backward(&y, NULL, 1, 0, 0, NULL, 0);
  printf("%s: %s, payload %s\n", mt_status_kind(failed), mt_status_message(failed),
         mt_status_payload_borrow(failed) == &counted ? "kept" : "lost");
  mt_status_release(failed);
  mt_tensor_release(y);

  function.struct_size = sizeof function;
  function.apply = negate;
  check(mt_tensor_set_grad(x, NULL));
  check(mt_node_create("Negated", &function, NULL, &x, 1, &node, &needed));
  check(mt_tensor_alias(x, 0, &y));
  check(mt_node_wrap_outputs(node, needed, &x, 1, &y, &flag, 1));
  check(mt_autograd_backward(&y, NULL, 1, 0, 0, NULL, 0));
  check(mt_tensor_grad(x, &grad));
  printf("custom gradient %g\n", value_of(grad));
  mt_tensor_release(grad);
  mt_node_release(node);
  mt_tensor_release(y);

  check(mt_warning_handler_set(warned, NULL, NULL, NULL));
  check(mt_warn("UserWarning", "through the handler"));
  mt_tensor_release(x);
  return 0;
}
