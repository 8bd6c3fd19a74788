// A transformer layer trained on the NPU over the simulator: forward, backward and AdamW match the CPU, with no host copy that the
// program did not request, and no race.
#include <cmath>

#include "npu_support.h"

using namespace npu_test;

namespace {

constexpr int64_t vocabulary = 50, width = 16, heads = 2, length = 6, batch = 2, inner = 32;

mt_value omitted() { return mt_box_tag(MT_TAG_DEFAULT); }
mt_value t(mt_tensor* tensor) { return mt_box_tensor(tensor); }
struct Sizes {
  std::vector<int64_t> items;
  operator mt_value() const { return mt_box_list(MT_TAG_INTS, items.data(), int64_t(items.size())); }
};

// Small numbers that repeat only after a long period. They come from a formula instead of a random generator, so that both devices get the
// same numbers.
std::vector<float> numbers(int64_t n, int seed, float scale) {
  std::vector<float> out;
  for (int64_t i = 0; i < n; ++i) out.push_back(scale * float(std::sin(double(i * 37 + seed * 101))));
  return out;
}
Owned whole_numbers(int seed, int64_t below, mt_device device) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < batch * length; ++i) ids.push_back((i * 7 + seed) % below);
  const int64_t sizes[] = {batch, length};
  Owned out;
  EXPECT_OK(mt_tensor_from_copy(ids.data(), sizes, 2, MT_INT64, out.out()));
  return device.type == MT_CPU ? std::move(out) : to(out, device);
}

struct Model {
  mt_device device;
  std::vector<Owned> parameters, means, squares;

  Owned make(const std::vector<float>& elements, const std::vector<int64_t>& sizes) {
    Owned out = capi_test::floats(elements, sizes);
    return device.type == MT_CPU ? std::move(out) : to(out, device);
  }
  explicit Model(mt_device d) : device(d) {
    const std::vector<std::vector<int64_t>> shapes = {
        {vocabulary, width}, {width}, {width},                                                                        // embedding, norm
        {width, width},      {width}, {width, width}, {width}, {width, width},     {width}, {width, width}, {width},  // q, k, v, out
        {inner, width},      {inner}, {width, inner}, {width}, {vocabulary, width}};                                  // two layers, head
    int seed = 0;
    for (const auto& sizes : shapes) {
      int64_t n = 1;
      for (int64_t s : sizes) n *= s;
      std::vector<float> values = numbers(n, ++seed, 0.2f);
      if (seed == 2)
        for (float& v : values) v += 1;
      parameters.push_back(make(values, sizes));
      means.push_back(make(std::vector<float>(size_t(n), 0), sizes));
      squares.push_back(make(std::vector<float>(size_t(n), 0), sizes));
      EXPECT_OK(mt_tensor_set_requires_grad(parameters.back(), 1));
    }
  }

  Owned linear(mt_tensor* x, int weight) {
    return call("linear", "", {t(x), t(parameters[size_t(weight)]), t(parameters[size_t(weight) + 1])});
  }
  Owned split_heads(const Owned& x) {
    const Owned parts = call("view", "", {t(x), Sizes{{batch, length, heads, width / heads}}});
    return call("transpose", "int", {t(parts), mt_int(1), mt_int(2)});
  }
  Owned loss(mt_tensor* ids, mt_tensor* labels, mt_tensor* mask) {
    const Owned embedded = call("embedding", "", {t(parameters[0]), t(ids)});
    const Owned x = call("layer_norm", "", {t(embedded), Sizes{{width}}, t(parameters[1]), t(parameters[2])});
    const Owned q = split_heads(linear(x, 3)), k = split_heads(linear(x, 5)), v = split_heads(linear(x, 7));
    const Owned transposed = call("transpose", "int", {t(k), mt_int(-2), mt_int(-1)});
    const Owned products = call("matmul", "", {t(q), t(transposed)});
    const Owned scaled = call("div", "Tensor", {t(products), mt_double(std::sqrt(double(width / heads)))});
    const Owned masked = call("masked_fill", "Scalar", {t(scaled), t(mask), mt_double(-1e9)});
    const Owned weights = call("softmax", "int", {t(masked), mt_int(-1)});
    const Owned context = call("matmul", "", {t(weights), t(v)});
    const Owned back = call("transpose", "int", {t(context), mt_int(1), mt_int(2)});
    const Owned joined = call("reshape", "", {t(back), Sizes{{batch, length, width}}});
    const Owned h = add(x, linear(joined, 9));
    const Owned widened = linear(h, 11);
    const Owned bent = call("gelu", "", {t(widened)});
    const Owned y = add(h, linear(bent, 13));
    const Owned logits = call("linear", "", {t(y), t(parameters[15])});
    const Owned rows = call("view", "", {t(logits), Sizes{{batch * length, vocabulary}}});
    const Owned targets = call("view", "", {t(labels), Sizes{{batch * length}}});
    return call("cross_entropy_loss", "", {t(rows), t(targets)});
  }
  void step(int64_t count) {
    std::vector<mt_tensor*> self, grads, mean, square, steps;
    std::vector<Owned> held;
    for (size_t i = 0; i < parameters.size(); ++i) {
      Owned grad;
      EXPECT_OK(mt_tensor_grad(parameters[i], grad.out()));
      self.push_back(parameters[i]);
      grads.push_back(grad);
      mean.push_back(means[i]);
      square.push_back(squares[i]);
      held.push_back(std::move(grad));
      held.push_back(
          call("full", "", {Sizes{{}}, mt_double(double(count)), mt_box_enum(MT_TAG_DTYPE, MT_FLOAT32), omitted(), mt_box_device(device)}));
      steps.push_back(held.back());
    }
    auto list = [](const std::vector<mt_tensor*>& items) { return mt_box_list(MT_TAG_TENSORS, items.data(), int64_t(items.size())); };
    EXPECT_OK(mt_mode_set(MT_MODE_GRAD, 0));
    call("_fused_adamw_", "",
         {list(self), list(grads), list(mean), list(square), list({}), list(steps), mt_double(1e-2), mt_double(0.9), mt_double(0.999),
          mt_double(0.01), mt_double(1e-8), mt_bool(0), mt_bool(0)});
    EXPECT_OK(mt_mode_set(MT_MODE_GRAD, 1));
    for (mt_tensor* p : self) EXPECT_OK(mt_tensor_set_grad(p, nullptr));
  }
};

class NpuTraining : public Npu {};

TEST_F(NpuTraining, ATransformerLayerTrainsAsOnTheCpu) {
  Model here(host), there(npu0);
  auto run = [](Model& m, mt_device device, std::vector<double>& losses) {
    for (int step = 1; step <= 3; ++step) {
      const Owned ids = whole_numbers(step, vocabulary, device), labels = whole_numbers(step + 3, vocabulary, device);
      const Owned mask = call("lt", "Scalar", {t(call("select", "int", {t(ids), mt_int(1), mt_int(0)})), mt_int(0)});  // no key is masked
      const Owned wide = call("view", "", {t(mask), Sizes{{batch, 1, 1, 1}}});
      const Owned loss = m.loss(ids, labels, wide);
      mt_tensor* roots[] = {loss};
      ASSERT_OK(mt_autograd_backward(roots, nullptr, 1, 0, 0, nullptr, 0));
      m.step(step);
      mt_value value{};
      ASSERT_OK(mt_tensor_item(loss, &value));
      losses.push_back(value.as.d);
    }
  };
  std::vector<double> expected, got;
  run(here, host, expected);
  ASSERT_OK(mt_npu_synchronize(0));
  ASSERT_OK(mt_npu_simulator_reset_counters());
  run(there, npu0, got);
  ASSERT_OK(mt_npu_synchronize(0));
  Figures counted = counters();
  EXPECT_EQ(counted["copies.host_to_device"], 6);  // ids and labels of three steps
  EXPECT_EQ(counted["copies.device_to_host"], 3);  // three losses
  EXPECT_EQ(counted["races"], 0) << mt_npu_simulator_race();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_LT(got[2], got[0]);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[i], expected[i], 1e-5);
  for (size_t p = 0; p < here.parameters.size(); ++p) {
    if (p == 6) continue;  // softmax ignores the keys' bias: its gradient is only rounding error, which Adam normalises to full steps
    mt_tensor* cpu = here.parameters[p];
    const Owned back = to(there.parameters[p], host);
    const Owned plain_back = call("detach", "", {t(back)}), plain = call("detach", "", {t(cpu)});
    const std::vector<float> a = capi_test::elements_of(plain), b = capi_test::elements_of(plain_back);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2e-4) << "parameter " << p << " element " << i;
  }
}

}  // namespace
