// What one call through the C ABI costs, on tensors so small that nothing else counts.
#include <benchmark/benchmark.h>
#include <mindtorch/mindtorch.hpp>

namespace {

using mindtorch::Tensor;

mt_value boxed(const Tensor& tensor) {
  mt_value value = mt_value();
  value.tag = MT_TAG_TENSOR;
  value.as.tensor = tensor.handle();
  return value;
}

// mt_op_call of a two-argument operator on one-element tensors, result freed.
void call_binary(benchmark::State& state, const char* name, bool requires_grad) {
  const mindtorch::Op op(name, "Tensor");
  Tensor a = Tensor::from<float>({1}, {1});
  const Tensor b = Tensor::from<float>({2}, {1});
  a.requires_grad_(requires_grad);
  const mt_value args[] = {boxed(a), boxed(b)};
  for (auto _ : state) {
    mt_value result;
    int64_t count = 0;
    mindtorch::check(mt_op_call(op.handle(), args, 2, &result, 1, &count));
    mt_value_clear(&result);
  }
}

void find(benchmark::State& state) {
  const mt_op* op = nullptr;
  for (auto _ : state) mindtorch::check(mt_op_find("add", "Tensor", &op));
}

void allocate(benchmark::State& state) {
  const int64_t size = state.range(0);
  for (auto _ : state) benchmark::DoNotOptimize(Tensor::empty({size}));
}

BENCHMARK_CAPTURE(call_binary, add, "add", false);
BENCHMARK_CAPTURE(call_binary, mul, "mul", false);
BENCHMARK_CAPTURE(call_binary, add_with_grad, "add", true);
BENCHMARK(find);
BENCHMARK(allocate)->Arg(1)->Arg(1 << 20);

}  // namespace
