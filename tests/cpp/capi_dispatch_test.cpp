// Operators, kernels, fallbacks and derivatives registered from C; keys and redispatch; lazy bits; autocast.
#include "capi_support.h"
#include "mindtorch/transform.h"

using namespace capi_test;

namespace {

const mt_op* find(const char* name, const char* overload = "") {
  const mt_op* op = nullptr;
  EXPECT_OK(mt_op_find(name, overload, &op));
  return op;
}

// out = self * factor, as a composite of other operators.
mt_status* scale(void* user, const mt_op*, uint64_t, const mt_value* args, int64_t, mt_value* rets, int64_t) {
  if (user) ++*static_cast<int*>(user);
  mt_value operands[] = {args[0], mt_double(args[1].as.d)};
  return mt_dispatch("mul", "Scalar", operands, 2, rets, 1, nullptr);
}

TEST(CapiUserOperator, IsCalledByNameWithDefaults) {
  const mt_op* op = nullptr;
  ASSERT_OK(mt_op_define("capitest::scale(Tensor self, float factor=3.0) -> Tensor", &op));
  int calls = 0;
  ASSERT_OK(mt_op_register_kernel(op, MT_KEY_CPU, scale, &calls, nullptr));
  Owned x = floats({1, 2});
  EXPECT_EQ(elements_of(call_tensor("capitest::scale", "", {box(x)})), (std::vector<float>{3, 6}));
  EXPECT_EQ(elements_of(call_tensor("capitest::scale", "", {box(x), mt_double(2)})), (std::vector<float>{2, 4}));
  EXPECT_EQ(calls, 2);
  const mt_op* again = nullptr;
  EXPECT_NE(failure(mt_op_define("capitest::scale(Tensor self) -> Tensor", &again)), "");
}

TEST(CapiUserOperator, WithoutAKernelIsReported) {
  const mt_op* op = nullptr;
  ASSERT_OK(mt_op_define("capitest::nothing(Tensor self) -> Tensor", &op));
  Owned x = floats({1});
  mt_value arg = box(x), ret = mt_none();
  mt_status* status = mt_op_call(op, &arg, 1, &ret, 1, nullptr);
  EXPECT_EQ(mt_status_code(status), MT_NOT_IMPLEMENTED);
  EXPECT_NE(std::string(mt_status_message(status)).find("capitest::nothing"), std::string::npos);
  mt_status_release(status);
}

TEST(CapiUserOperator, IsDestroyedOnceWhenReplaced) {
  const mt_op* op = nullptr;
  ASSERT_OK(mt_op_define("capitest::replaced(Tensor self, float factor) -> Tensor", &op));
  int first = 0, second = 0;
  ASSERT_OK(mt_op_register_kernel(
      op, MT_KEY_CPU,
      [](void*, const mt_op*, uint64_t, const mt_value*, int64_t, mt_value*, int64_t) { return mt_status_create("RuntimeError", "first"); },
      &first, count));
  ASSERT_OK(mt_op_register_kernel(op, MT_KEY_CPU, scale, &second, count));
  EXPECT_EQ(first, 1);
  Owned x = floats({1});
  call_tensor("capitest::replaced", "", {box(x), mt_double(2)});
  ASSERT_OK(mt_op_register_kernel(op, MT_KEY_CPU, nullptr, nullptr, nullptr));
  EXPECT_EQ(second, 2);  // one call, one destroy
  int32_t has = 1;
  ASSERT_OK(mt_op_has_kernel(op, MT_KEY_CPU, &has));
  EXPECT_EQ(has, 0);
}

TEST(CapiUserOperator, ABuiltInKernelComesBack) {
  const mt_op* op = find("add", "Tensor");
  ASSERT_OK(mt_op_register_kernel(
      op, MT_KEY_CPU,
      [](void*, const mt_op*, uint64_t, const mt_value*, int64_t, mt_value*, int64_t) { return mt_status_create("KeyError", "mine"); },
      nullptr, nullptr));
  Owned x = floats({1});
  mt_value args[] = {box(x), box(x)}, ret = mt_none();
  EXPECT_EQ(failure(mt_op_call(op, args, 2, &ret, 1, nullptr)), "KeyError: mine");
  ASSERT_OK(mt_op_register_kernel(op, MT_KEY_CPU, nullptr, nullptr, nullptr));
  EXPECT_EQ(elements_of(call_tensor("add", "Tensor", {box(x), box(x)})), std::vector<float>{2});
}

TEST(CapiUserOperator, RefusesResultsThatDoNotMatchTheSchema) {
  const mt_op* op = nullptr;
  ASSERT_OK(mt_op_define("capitest::wrong(Tensor self) -> Tensor", &op));
  ASSERT_OK(mt_op_register_kernel(
      op, MT_KEY_CPU,
      [](void*, const mt_op*, uint64_t, const mt_value*, int64_t, mt_value* rets, int64_t) {
        rets[0] = mt_int(1);
        return static_cast<mt_status*>(nullptr);
      },
      nullptr, nullptr));
  Owned x = floats({1});
  mt_value arg = box(x), ret = mt_none();
  EXPECT_NE(failure(mt_op_call(op, &arg, 1, &ret, 1, nullptr)).find("TypeError"), std::string::npos);
}

TEST(CapiUserOperator, RefusesBrokenSchemas) {
  const mt_op* op = nullptr;
  for (const char* schema :
       {"", "x", "a::b(", "a::b(Tensor)", "a::b(Nothing x) -> Tensor", "a::b(Tensor x) Tensor", "a::b(Tensor x=) -> Tensor"})
    EXPECT_NE(failure(mt_op_define(schema, &op)), "") << schema;
  EXPECT_NE(failure(mt_op_define(nullptr, &op)), "");
  EXPECT_EQ(op, nullptr);
}

// d(scale)/d(self) = grad * factor, in recorded operators.
mt_status* scale_derivative(void*, const mt_op*, const mt_value* grads, int64_t, const mt_value* args, int64_t, const mt_value*, int64_t,
                            mt_value* grad_args) {
  mt_value operands[] = {grads[0], args[1]};
  return mt_dispatch("mul", "Tensor", operands, 2, &grad_args[0], 1, nullptr);
}
mt_status* multiply(void*, const mt_op*, uint64_t, const mt_value* args, int64_t, mt_value* rets, int64_t) {
  return mt_dispatch("mul", "Tensor", args, 2, rets, 1, nullptr);
}

TEST(CapiUserOperator, IsRecordedByAutograd) {
  const mt_op* op = nullptr;
  ASSERT_OK(mt_op_define("capitest::times(Tensor self, Tensor other) -> Tensor", &op));
  ASSERT_OK(mt_op_register_kernel(op, MT_KEY_CPU, multiply, nullptr, nullptr));
  ASSERT_OK(mt_op_register_derivative(op, scale_derivative, nullptr, nullptr));
  EXPECT_NE(failure(mt_op_register_derivative(op, scale_derivative, nullptr, nullptr)), "");
  Owned x = floats({1, 2}), w = floats({5, 7});
  ASSERT_OK(mt_tensor_set_requires_grad(x, 1));
  Owned y = call_tensor("capitest::times", "", {box(x), box(w)});
  EXPECT_TRUE(info_of(y).flags & MT_TENSOR_REQUIRES_GRAD);
  Owned seed = floats({1, 1}), gradient;
  mt_tensor* roots[] = {y};
  mt_tensor* seeds[] = {seed};
  ASSERT_OK(mt_autograd_backward(roots, seeds, 1, 0, 0, nullptr, 0));
  ASSERT_OK(mt_tensor_grad(x, gradient.out()));
  EXPECT_EQ(elements_of(gradient), (std::vector<float>{5, 7}));
}

// ---- keys ----

struct Log {
  std::vector<std::string> names;
};
mt_status* log_and_continue(void* user, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  mt_op_info info{};
  info.struct_size = sizeof info;
  if (mt_status* status = mt_op_get_info(op, &info)) return status;
  static_cast<Log*>(user)->names.push_back(info.name);
  return mt_op_redispatch(op, keys & ((uint64_t(1) << MT_KEY_PYTHON) - 1), args, n, rets, n_rets, nullptr);
}

TEST(CapiFallback, SeesEveryOperatorOfAMarkedTensor) {
  Log log;
  ASSERT_OK(mt_fallback_register(MT_KEY_PYTHON, log_and_continue, &log, nullptr));
  Owned x = floats({1, 2}), y = floats({3, 4});
  ASSERT_OK(mt_tensor_keys_set(x, uint64_t(1) << MT_KEY_PYTHON, 0));
  EXPECT_EQ(elements_of(call_tensor("add", "Tensor", {box(x), box(y)})), (std::vector<float>{4, 6}));
  call_tensor("mul", "Tensor", {box(y), box(y)});
  EXPECT_EQ(log.names, std::vector<std::string>{"add"});
  ASSERT_OK(mt_fallback_register(MT_KEY_PYTHON, nullptr, nullptr, nullptr));
  EXPECT_NE(failure(mt_fallback_register(MT_KEY_PYTHON, nullptr, nullptr, nullptr)), "");
}

mt_status* give_the_argument(void* user, const mt_op*, uint64_t, const mt_value* args, int64_t, mt_value* rets, int64_t) {
  ++*static_cast<int*>(user);
  rets[0] = args[0];
  return nullptr;
}

TEST(CapiFallback, OfABackendHandlesOperatorsWithoutKernel) {
  const mt_op* op = nullptr;
  ASSERT_OK(mt_op_define("capifallback::lone(Tensor self) -> Tensor", &op));
  Owned x = floats({1, 2});
  mt_value args[] = {box(x)}, ret = mt_none();
  EXPECT_NE(failure(mt_op_call(op, args, 1, &ret, 1, nullptr)), "");
  int calls = 0;
  ASSERT_OK(mt_fallback_register(MT_KEY_CPU, give_the_argument, &calls, nullptr));
  ASSERT_OK(mt_op_call(op, args, 1, &ret, 1, nullptr));
  mt_value_clear(&ret);
  EXPECT_EQ(elements_of(call_tensor("neg", "", {box(x)})), (std::vector<float>{-1, -2}));
  EXPECT_EQ(calls, 1);
  ASSERT_OK(mt_fallback_register(MT_KEY_CPU, nullptr, nullptr, nullptr));
  EXPECT_NE(failure(mt_op_call(op, args, 1, &ret, 1, nullptr)), "");
}

mt_status* refuse(void*, const mt_op*, uint64_t, const mt_value*, int64_t, mt_value*, int64_t) {
  return mt_status_create("RuntimeError", "refused by the program");
}

// The sums of the rows of a 2 x 2 matrix under vmap; empty after an error.
std::vector<float> sum_rows_under_vmap(mt_tensor* matrix) {
  int64_t level = 0;
  EXPECT_OK(mt_vmap_enter(2, MT_RANDOMNESS_ERROR, &level));
  std::vector<float> sums;
  {
    Owned rows, values;
    EXPECT_OK(mt_batched_make(matrix, 0, level, rows.out()));
    const mt_value argument = box(rows);
    mt_value sum = mt_none();
    int64_t count = 0, dim = 0;
    if (failure(mt_dispatch("sum", "", &argument, 1, &sum, 1, &count)).empty()) {
      EXPECT_OK(mt_batched_get(sum.as.tensor, &level, &dim, values.out()));
      sums = elements_of(values);
    }
    mt_value_clear(&sum);
  }
  EXPECT_OK(mt_vmap_exit(level));
  return sums;
}

TEST(CapiFallback, OfTheLibraryReturnsWhenTheProgramsEnds) {
  Owned matrix = floats({1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(sum_rows_under_vmap(matrix), (std::vector<float>{3, 7}));
  ASSERT_OK(mt_fallback_register(MT_KEY_TRANSFORMS, refuse, nullptr, nullptr));
  EXPECT_EQ(sum_rows_under_vmap(matrix), std::vector<float>{});
  ASSERT_OK(mt_fallback_register(MT_KEY_TRANSFORMS, nullptr, nullptr, nullptr));
  EXPECT_EQ(sum_rows_under_vmap(matrix), (std::vector<float>{3, 7}));
}

mt_status* multiply_shipped_by_ten(void*, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  if (mt_status* status = mt_op_call_shipped(op, MT_KEY_CPU, keys, args, n, rets, n_rets, nullptr)) return status;
  float* data = nullptr;
  if (mt_status* status = mt_tensor_data(rets[0].as.tensor, reinterpret_cast<void**>(&data))) return status;
  data[0] *= 10;
  return nullptr;
}

TEST(CapiShipped, IsReachedByTheKernelThatReplacesIt) {
  const mt_op* neg = find("neg", "");
  Owned x = floats({2});
  ASSERT_OK(mt_op_register_kernel(neg, MT_KEY_CPU, multiply_shipped_by_ten, nullptr, nullptr));
  EXPECT_EQ(elements_of(call_tensor("neg", "", {box(x)})), std::vector<float>{-20});
  ASSERT_OK(mt_op_register_kernel(neg, MT_KEY_CPU, nullptr, nullptr, nullptr));
  EXPECT_EQ(elements_of(call_tensor("neg", "", {box(x)})), std::vector<float>{-2});
}

TEST(CapiShipped, RefusesUnsupportedKeys) {
  const mt_op* neg = find("neg", "");
  const int64_t size = 2;
  Owned x = floats({2}), shell;
  ASSERT_OK(mt_tensor_empty(&size, 1, MT_FLOAT32, {MT_META, -1}, shell.out()));
  mt_value real[] = {box(x)}, meta[] = {box(shell)}, ret = mt_none();
  EXPECT_NE(failure(mt_op_call_shipped(neg, MT_KEY_PYTHON, 0, real, 1, &ret, 1, nullptr)), "");
  EXPECT_NE(failure(mt_op_call_shipped(neg, MT_KEY_META, 0, real, 1, &ret, 1, nullptr)), "");
  EXPECT_NE(failure(mt_op_call_shipped(neg, MT_KEY_CPU, 0, meta, 1, &ret, 1, nullptr)), "");
  EXPECT_NE(failure(mt_op_call_shipped(neg, MT_KEY_COMPOSITE, 0, real, 1, &ret, 1, nullptr)), "");
  EXPECT_NE(failure(mt_op_call_shipped(neg, MT_KEY_CPU, uint64_t(1) << 60, real, 1, &ret, 1, nullptr)), "");
  EXPECT_NE(failure(mt_op_call_shipped(neg, MT_KEY_CPU, 0, real, 0, &ret, 1, nullptr)), "");
  EXPECT_NE(failure(mt_op_call_shipped(nullptr, MT_KEY_CPU, 0, real, 1, &ret, 1, nullptr)), "");
}

TEST(CapiTensor, WithoutMemoryReportsAnotherDevice) {
  const int64_t size = 2;
  Owned shell;
  ASSERT_OK(mt_tensor_empty(&size, 1, MT_FLOAT32, {MT_META, -1}, shell.out()));
  ASSERT_OK(mt_tensor_pose(shell, {MT_CPU, -1}));
  mt_tensor_info info{};
  info.struct_size = sizeof info;
  ASSERT_OK(mt_tensor_get_info(shell, &info));
  EXPECT_EQ(info.device.type, MT_CPU);
  EXPECT_EQ(info.keys >> MT_KEY_META & 1, 1u);
  void* data = nullptr;
  EXPECT_NE(failure(mt_tensor_data(shell, &data)), "");
  EXPECT_NE(failure(mt_tensor_pose(floats({1}), {MT_META, -1})), "");
}

TEST(CapiFallback, IsEnteredThroughIncludedKeysToo) {
  Log log;
  ASSERT_OK(mt_fallback_register(MT_KEY_PYTHON, log_and_continue, &log, nullptr));
  uint64_t included = 0, excluded = 0;
  ASSERT_OK(mt_dispatch_keys_get(&included, &excluded));
  ASSERT_OK(mt_dispatch_keys_set(included | uint64_t(1) << MT_KEY_PYTHON, excluded));
  Owned y = floats({3, 4});
  call_tensor("mul", "Tensor", {box(y), box(y)});
  ASSERT_OK(mt_dispatch_keys_set(included, excluded));
  EXPECT_EQ(log.names, std::vector<std::string>{"mul"});
  ASSERT_OK(mt_fallback_register(MT_KEY_PYTHON, nullptr, nullptr, nullptr));
  EXPECT_NE(failure(mt_dispatch_keys_set(uint64_t(1) << 60, 0)), "");
}

TEST(CapiRedispatch, WantsAllArguments) {
  Owned x = floats({1});
  mt_value args[] = {box(x), box(x)}, ret = mt_none();
  EXPECT_NE(failure(mt_op_redispatch(find("add", "Tensor"), 1, args, 2, &ret, 1, nullptr)), "");
  EXPECT_NE(failure(mt_op_redispatch(find("add", "Tensor"), 0, args, 2, &ret, 1, nullptr)), "");
}

TEST(CapiDecompose, RunsTheBodyOfACompositeOperatorOnly) {
  Owned x = floats({1, 2, 3, 4}, {2, 2});
  mt_value args[] = {box(x), box(x)}, ret = mt_none();
  mt_status* status = mt_op_decompose(find("add", "Tensor"), args, 2, &ret, 1, nullptr);
  EXPECT_EQ(mt_status_code(status), MT_NOT_IMPLEMENTED);
  mt_status_release(status);
  ASSERT_OK(mt_op_decompose(find("flatten", "using_ints"), args, 1, &ret, 1, nullptr));
  EXPECT_EQ(info_of(ret.as.tensor).ndim, 1);
  mt_value_clear(&ret);
}

TEST(CapiNamed, AcceptsKeywordsAndRefusesUnknownOnes) {
  Owned x = floats({1, 2}), y = floats({10, 20});
  const mt_op* add = find("add", "Tensor");
  mt_value self = box(x), ret = mt_none();
  const char* names[] = {"alpha", "other"};
  mt_value named[] = {mt_int(2), box(y)};
  ASSERT_OK(mt_op_call_named(add, &self, 1, names, named, 2, &ret, 1, nullptr));
  EXPECT_EQ(elements_of(ret.as.tensor), (std::vector<float>{21, 42}));  // torch.add(x, other=y, alpha=2)
  mt_value_clear(&ret);
  const char* unknown[] = {"beta"};
  EXPECT_EQ(failure(mt_op_call_named(add, &self, 1, unknown, named, 1, &ret, 1, nullptr)),
            "TypeError: add() got an unexpected keyword argument 'beta'");
  const char* twice[] = {"self"};
  EXPECT_EQ(failure(mt_op_call_named(add, &self, 1, twice, named, 1, &ret, 1, nullptr)),
            "TypeError: add() got multiple values for argument 'self'");
  EXPECT_NE(failure(mt_op_call_named(add, &self, 1, nullptr, named, 1, &ret, 1, nullptr)), "");
  EXPECT_NE(failure(mt_op_call_named(add, &self, 1, names, named, -1, &ret, 1, nullptr)), "");
}

// ---- lazy bits ----

Owned complex_pair(float re, float im) {
  const float parts[] = {re, im};
  const int64_t one[] = {1};
  Owned out;
  EXPECT_OK(mt_tensor_from_copy(parts, one, 1, MT_COMPLEX64, out.out()));
  return out;
}
std::pair<float, float> memory_of(mt_tensor* tensor) {
  void* data = nullptr;
  EXPECT_OK(mt_tensor_data(tensor, &data));
  return {static_cast<float*>(data)[0], static_cast<float*>(data)[1]};
}

TEST(CapiConjugate, OperatorsSeeTheValuesOfAConjugateView) {
  Owned z = complex_pair(1, 2);
  Owned c = call_tensor("conj", "", {box(z)});
  EXPECT_TRUE(info_of(c).flags & MT_TENSOR_IS_CONJ);
  EXPECT_EQ(memory_of(c), std::make_pair(1.f, 2.f));
  mt_value item = mt_none();
  ASSERT_OK(mt_tensor_item(c, &item));
  EXPECT_EQ(item.as.c[1], -2);
  Owned sum = call_tensor("add", "Tensor", {box(c), box(c)});
  EXPECT_FALSE(info_of(sum).flags & MT_TENSOR_IS_CONJ);
  EXPECT_EQ(memory_of(sum), std::make_pair(2.f, -4.f));  // torch.tensor([1+2j]).conj() * 2
}

TEST(CapiConjugate, InPlaceWritesReachTheMemoryBehindTheView) {
  Owned z = complex_pair(1, 2), one = complex_pair(0, 1);
  Owned c = call_tensor("conj", "", {box(z)});
  Owned same = call_tensor("add_", "Tensor", {box(c), box(one)});
  EXPECT_EQ(static_cast<mt_tensor*>(same), static_cast<mt_tensor*>(c));
  EXPECT_EQ(memory_of(z), std::make_pair(1.f, 1.f));  // z.conj().add_(1j): conj(z) = 1-2j+1j, so z = 1+1j
}

// ---- autocast ----

TEST(CapiAutocast, LowersProductsInsideARegionOnly) {
  int32_t enabled = -1, dtype = -1;
  ASSERT_OK(mt_autocast_get(MT_CPU, &enabled, &dtype));
  EXPECT_EQ(enabled, 0);
  EXPECT_EQ(dtype, MT_BFLOAT16);  // torch.get_autocast_dtype("cpu")
  Owned x = floats({1, 2, 3, 4}, {2, 2});
  ASSERT_OK(mt_autocast_set(MT_CPU, 1, MT_BFLOAT16));
  Owned inside = call_tensor("mm", "", {box(x), box(x)});
  Owned sum = call_tensor("add", "Tensor", {box(x), box(x)});
  ASSERT_OK(mt_autocast_set(MT_CPU, 0, -1));
  ASSERT_OK(mt_autocast_cache_clear());
  Owned outside = call_tensor("mm", "", {box(x), box(x)});
  EXPECT_EQ(info_of(inside).dtype, MT_BFLOAT16);
  EXPECT_EQ(info_of(sum).dtype, MT_FLOAT32);
  EXPECT_EQ(info_of(outside).dtype, MT_FLOAT32);
  uint64_t included = 1;
  ASSERT_OK(mt_dispatch_keys_get(&included, nullptr));
  EXPECT_EQ(included, 0u);
}

TEST(CapiAutocast, RefusesDeviceTypesThatItDoesNotKnow) {
  int32_t enabled = 0;
  // The expected error is that of torch.is_autocast_enabled("meta") in torch.
  EXPECT_EQ(failure(mt_autocast_get(MT_META, &enabled, nullptr)),
            "RuntimeError: unknown device type for autocast in get_autocast_dispatch_key_from_device_type");
  EXPECT_NE(failure(mt_autocast_get(-5, &enabled, nullptr)), "");
}

}  // namespace
