// Operators on the NPU over the simulator: factories, copies, the generic caller, random numbers, refusals, host copies counted.
#include <cmath>

#include "npu/spec.h"
#include "npu_support.h"

using namespace npu_test;

namespace {

class NpuOperator : public Npu {};

mt_value device_value(mt_device device) { return mt_box_device(device); }
mt_value omitted() { return mt_box_tag(MT_TAG_DEFAULT); }

Owned ones(int64_t n, mt_device device) {
  return call("ones", "", {mt_box_list(MT_TAG_INTS, &n, 1), omitted(), omitted(), device_value(device)});
}

TEST_F(NpuOperator, OnesPlusOneRunsOnTheDeviceAndComesBackInOneCopy) {
  const Owned t = ones(3, npu0);
  EXPECT_EQ(capi_test::info_of(t).device.type, MT_NPU);
  const Owned sum = call("add", "Tensor", {mt_box_tensor(t), mt_int(1)});
  EXPECT_EQ(capi_test::info_of(sum).device.index, 0);
  EXPECT_EQ(fetched(sum), (std::vector<float>{2, 2, 2}));
  Figures now = counters();
  EXPECT_EQ(now["copies.host_to_device"], 0);
  EXPECT_EQ(now["copies.device_to_host"], 1);
  EXPECT_EQ(now["bytes.device_to_host"], 12);
  EXPECT_EQ(now["kernels"], 2);  // a fill and a sum
}
TEST_F(NpuOperator, AnOperatorWithoutAKernelRaises) {
  const Owned t = ones(3, npu0);
  const std::string text = failure_of("special_airy_ai", "", {mt_box_tensor(t)});
  const std::string start = "NotImplementedError: Could not run 'aten::special_airy_ai' with arguments from the 'NPU' backend. ";
  EXPECT_EQ(text.substr(0, start.size()), start);
  EXPECT_NE(text.find("'aten::special_airy_ai' is only available for these backends: [CPU, Meta"), std::string::npos) << text;
}
TEST_F(NpuOperator, ViewsAndMetadataNeedNoKernel) {
  const Owned t = on_device({1, 2, 3, 4, 5, 6});
  ASSERT_OK(mt_npu_simulator_reset_counters());
  const int64_t sizes[] = {2, 3};
  const Owned matrix = call("view", "", {mt_box_tensor(t), mt_box_list(MT_TAG_INTS, sizes, 2)});
  const Owned transposed = call("t", "", {mt_box_tensor(matrix)});
  EXPECT_EQ(capi_test::info_of(transposed).strides[0], 1);
  EXPECT_EQ(counters()["kernels"], 0);
  EXPECT_EQ(fetched(call("contiguous", "", {mt_box_tensor(transposed)})), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}
TEST_F(NpuOperator, InPlaceAndOutFormsWriteToTheirTarget) {
  const Owned a = on_device({1, 2, 3}), b = on_device({10, 20, 30});
  void *before = nullptr, *after = nullptr;
  ASSERT_OK(mt_tensor_data(a, &before));
  call("add_", "Tensor", {mt_box_tensor(a), mt_box_tensor(b)});
  ASSERT_OK(mt_tensor_data(a, &after));
  EXPECT_EQ(before, after);
  EXPECT_EQ(fetched(a), (std::vector<float>{11, 22, 33}));
  const Owned out = on_device({});
  call("mul", "out", {mt_box_tensor(a), mt_box_tensor(b), mt_box_tensor(out)});
  EXPECT_EQ(fetched(out), (std::vector<float>{110, 440, 990}));
  const Owned m = on_device({1, 2, 3, 4});
  const int64_t sizes[] = {2, 2};
  const Owned square = call("view", "", {mt_box_tensor(m), mt_box_list(MT_TAG_INTS, sizes, 2)});
  call("mm", "out", {mt_box_tensor(square), mt_box_tensor(square), mt_box_tensor(square)});  // the result is an argument
  EXPECT_EQ(fetched(m), (std::vector<float>{7, 10, 15, 22}));
}
TEST_F(NpuOperator, PromotionBroadcastingAndErrorsAreTheCpus) {
  const Owned a = on_device({1, 2, 3}), b = on_device({1, 2});
  EXPECT_EQ(failure_of("add", "Tensor", {mt_box_tensor(a), mt_box_tensor(b)}),
            "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0");
  const Owned host_tensor = capi_test::floats({1, 2, 3});
  EXPECT_EQ(failure_of("add", "Tensor", {mt_box_tensor(a), mt_box_tensor(host_tensor)}),
            "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, npu:0 and cpu!");
  const Owned less = call("lt", "Scalar", {mt_box_tensor(a), mt_double(2.5)});
  EXPECT_EQ(capi_test::info_of(less).dtype, MT_BOOL);
  EXPECT_EQ(fetched(call("_to_copy", "", {mt_box_tensor(less), mt_box_enum(MT_TAG_DTYPE, MT_FLOAT32)})), (std::vector<float>{1, 1, 0}));
}
TEST_F(NpuOperator, AnItemIsReadInOneCopy) {
  const Owned t = call("sum", "", {mt_box_tensor(on_device({1, 2, 3.5f}))});
  ASSERT_OK(mt_npu_simulator_reset_counters());
  mt_value v{};
  ASSERT_OK(mt_tensor_item(t, &v));
  EXPECT_EQ(v.as.d, 6.5);
  EXPECT_EQ(counters()["copies.device_to_host"], 1);
}
TEST_F(NpuOperator, KernelsConvertDtypesAndStrides) {
  const Owned source = capi_test::floats({1.5f, 2.5f, -3.5f});
  const Owned there = call("_to_copy", "", {mt_box_tensor(source), mt_box_enum(MT_TAG_DTYPE, MT_INT64), omitted(), device_value(npu0)});
  EXPECT_EQ(capi_test::info_of(there).dtype, MT_INT64);
  const Owned back = call("_to_copy", "", {mt_box_tensor(there), mt_box_enum(MT_TAG_DTYPE, MT_FLOAT32), omitted(), device_value(host)});
  EXPECT_EQ(capi_test::elements_of(back), (std::vector<float>{1, 2, -3}));
  const Owned wide = on_device({0, 0, 0, 0, 0, 0});
  const Owned every_other = call("slice", "Tensor", {mt_box_tensor(wide), mt_int(0), mt_int(0), mt_int(6), mt_int(2)});
  call("copy_", "", {mt_box_tensor(every_other), mt_box_tensor(source)});
  EXPECT_EQ(fetched(wide), (std::vector<float>{1.5f, 0, 2.5f, 0, -3.5f, 0}));
}
TEST_F(NpuOperator, RandomNumbersFollowTheDevicesGenerator) {
  mt_generator* generator = nullptr;
  ASSERT_OK(mt_npu_generator_default(0, &generator));
  ASSERT_OK(mt_generator_seed(generator, 7));
  const Owned t = ones(1000, npu0);
  call("uniform_", "", {mt_box_tensor(t)});
  const std::vector<float> first = fetched(t);
  uint64_t offset = 0;
  ASSERT_OK(mt_npu_generator_get_offset(generator, &offset));
  EXPECT_EQ(offset, 12u);
  call("uniform_", "", {mt_box_tensor(t)});
  EXPECT_NE(fetched(t), first);
  ASSERT_OK(mt_generator_seed(generator, 7));
  call("uniform_", "", {mt_box_tensor(t)});
  EXPECT_EQ(fetched(t), first);
  int64_t size = 0;
  uint64_t state[2] = {};
  ASSERT_OK(mt_generator_get_state(generator, state, sizeof state, &size));
  EXPECT_EQ(size, 16);
  EXPECT_EQ(state[0], 7u);
  EXPECT_EQ(state[1], 12u);
  EXPECT_EQ(failure(mt_npu_generator_set_offset(generator, 3)), "RuntimeError: offset must be a multiple of 4");
  double mean = 0;
  for (float x : first) mean += x / 1000;
  EXPECT_NEAR(mean, 0.5, 0.05);
  const Owned cpu_tensor = capi_test::floats({1});
  EXPECT_NE(failure_of("uniform_", "", {mt_box_tensor(cpu_tensor), omitted(), omitted(), mt_box_generator(generator)}), "");
  mt_generator_release(generator);
}

mt_op_info info_of_op(const mt_op* op) {
  mt_op_info info{};
  info.struct_size = sizeof info;
  EXPECT_OK(mt_op_get_info(op, &info));
  return info;
}
mt_arg_info argument_of(const mt_op* op, int32_t index) {
  mt_arg_info info{};
  info.struct_size = sizeof info;
  EXPECT_OK(mt_op_get_arg(op, index, &info));
  return info;
}
// The functional operators that name an aclnn operator.
template <class F>
void for_each_npu_operator(F&& f) {
  for (int64_t i = 0; i < mt_op_count(); ++i) {
    const mt_op* op = mt_op_at(i);
    const mt_op_info info = info_of_op(op);
    const char* text = nullptr;
    EXPECT_OK(mt_npu_kernel_name(op, &text));
    if (text && !(info.forms & (MT_FORM_INPLACE | MT_FORM_OUT))) f(op, info, text);
  }
}
TEST_F(NpuOperator, EveryEntryNamesArgumentsThatItsOperatorHas) {
  int served = 0;
  for_each_npu_operator([&](const mt_op* op, const mt_op_info& info, const char* text) {
    ++served;
    std::vector<mt::npu::SpecArgument> arguments;
    std::vector<mt_arg_info> kept;
    for (int32_t a = 0; a < info.n_args; ++a) kept.push_back(argument_of(op, a));
    for (const mt_arg_info& a : kept) arguments.push_back({a.name, a.type});
    const char* number = nullptr;
    EXPECT_OK(mt_npu_number_kernel_name(op, &number));
    for (const char* each : {text, number}) try {
        if (each) mt::npu::parse_spec(each, arguments, info.n_returns);
      } catch (const std::string& what) {
        ADD_FAILURE() << info.schema << ": " << what;
      }
  });
  EXPECT_GT(served, 60);
}
// All operators of one or two tensors return equal results on both devices.
TEST_F(NpuOperator, OperatorsOfOneOrTwoTensorsMatchTheCpu) {
  const Owned a = capi_test::floats({0.5f, 0.25f, 0.75f, 0.1f, 0.9f, 0.3f, 0.6f, 0.2f, 0.4f}, {3, 3});
  const Owned b = capi_test::floats({2, 1, 3, 1.5f, 2.5f, 4, 0.5f, 1, 2}, {3, 3});
  const Owned there_a = to(a, npu0), there_b = to(b, npu0);
  int compared = 0;
  for_each_npu_operator([&](const mt_op* op, const mt_op_info& info, const char*) {
    if (info.traits & (MT_OP_RANDOM | MT_OP_MUTATES) || info.n_returns != 1) return;
    int tensors = 0, needed = 0;
    for (int32_t i = 0; i < info.n_args; ++i) {
      const mt_arg_info arg = argument_of(op, i);
      tensors += std::string(arg.type) == "Tensor" && i == tensors;
      needed += arg.default_text == nullptr && std::string(arg.type).back() != '?';
    }
    if (tensors < 1 || tensors > 2 || needed != tensors) return;
    mt_value here_args[2] = {mt_box_tensor(a), mt_box_tensor(b)}, there_args[2] = {mt_box_tensor(there_a), mt_box_tensor(there_b)}, ret{};
    int64_t n = 0;
    if (!failure(mt_op_call(op, here_args, tensors, &ret, 1, &n)).empty()) return;  // does not accept these inputs
    const Owned expected(ret.as.tensor);
    const std::string refused = failure(mt_op_call(op, there_args, tensors, &ret, 1, &n));
    if (refused.find("NotImplementedError: Could not run") == 0) return;  // argmax over no dimension
    ASSERT_EQ(refused, "") << info.schema;
    const Owned got(ret.as.tensor);
    EXPECT_EQ(capi_test::info_of(got).dtype, capi_test::info_of(expected).dtype) << info.schema;
    EXPECT_EQ(capi_test::info_of(got).device.type, MT_NPU);
    auto as_floats = [](mt_tensor* t) {
      const Owned plain = call("contiguous", "", {mt_box_tensor(t)});
      return fetched(call("_to_copy", "", {mt_box_tensor(plain), mt_box_enum(MT_TAG_DTYPE, MT_FLOAT32)}));
    };
    const std::vector<float> x = as_floats(expected), y = as_floats(got);
    ASSERT_EQ(x.size(), y.size()) << info.schema;
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_TRUE(x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) << info.schema << ": " << x[i] << " and " << y[i];
    ++compared;
  });
  EXPECT_GT(compared, 30);
  EXPECT_EQ(counters()["races"], 0);
}
TEST_F(NpuOperator, GradientsAreOnTheDevice) {
  const Owned x = on_device({1, 2, 3});
  ASSERT_OK(mt_tensor_set_requires_grad(x, 1));
  const Owned y = call("sum", "", {mt_box_tensor(call("mul", "Tensor", {mt_box_tensor(x), mt_box_tensor(x)}))});
  mt_tensor* roots[] = {y};
  ASSERT_OK(mt_autograd_backward(roots, nullptr, 1, 0, 0, nullptr, 0));
  Owned grad;
  ASSERT_OK(mt_tensor_grad(x, grad.out()));
  EXPECT_EQ(fetched(grad), (std::vector<float>{2, 4, 6}));
}

}  // namespace
