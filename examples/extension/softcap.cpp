// An operator for torch: softcap(x, cap) = cap * tanh(x / cap), with its gradient, for the CPU and for meta tensors.
// It includes only headers of LibTorch's stable ABI, so one binary runs on every torch from 2.10 on, and on mindtorch.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/Dispatch_v2.h>

#include <cmath>

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

constexpr int64_t grain = 4096;  // the smallest number of elements per thread

void check(const Tensor& x, double cap) {
  STD_TORCH_CHECK(cap > 0, "softcap: cap must be positive, got ", cap);
  STD_TORCH_CHECK(x.scalar_type() == ScalarType::Float || x.scalar_type() == ScalarType::Double, "softcap: expected float32 or float64");
}

Tensor softcap_cpu(const Tensor& x, double cap) {
  check(x, cap);
  const Tensor input = torch::stable::contiguous(x);
  Tensor result = torch::stable::empty_like(input);
  THO_DISPATCH_V2(x.scalar_type(), "softcap", AT_WRAP([&] {
                    const auto* in = static_cast<const scalar_t*>(input.const_data_ptr());
                    auto* out = static_cast<scalar_t*>(result.mutable_data_ptr());
                    const auto limit = static_cast<scalar_t>(cap);
                    torch::stable::parallel_for(0, input.numel(), grain, [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) out[i] = limit * std::tanh(in[i] / limit);
                    });
                  }),
                  AT_EXPAND(AT_FLOATING_TYPES));
  return result;
}

// The derivative is 1 - tanh(x / cap)^2.
Tensor softcap_backward_cpu(const Tensor& grad, const Tensor& x, double cap) {
  check(x, cap);
  STD_TORCH_CHECK(grad.scalar_type() == x.scalar_type() && grad.sizes() == x.sizes(), "softcap_backward: grad must look like x");
  const Tensor given = torch::stable::contiguous(grad), input = torch::stable::contiguous(x);
  Tensor result = torch::stable::empty_like(input);
  THO_DISPATCH_V2(x.scalar_type(), "softcap_backward", AT_WRAP([&] {
                    const auto* g = static_cast<const scalar_t*>(given.const_data_ptr());
                    const auto* in = static_cast<const scalar_t*>(input.const_data_ptr());
                    auto* out = static_cast<scalar_t*>(result.mutable_data_ptr());
                    const auto limit = static_cast<scalar_t>(cap);
                    torch::stable::parallel_for(0, input.numel(), grain, [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) {
                        const scalar_t t = std::tanh(in[i] / limit);
                        out[i] = g[i] * (1 - t * t);
                      }
                    });
                  }),
                  AT_EXPAND(AT_FLOATING_TYPES));
  return result;
}

// Meta tensors have only a shape and a dtype, and a result needs no more.
Tensor softcap_meta(const Tensor& x, double cap) {
  check(x, cap);
  return torch::stable::empty_like(x);
}
Tensor softcap_backward_meta(const Tensor&, const Tensor& x, double cap) { return softcap_meta(x, cap); }

}  // namespace

STABLE_TORCH_LIBRARY(softcap, m) {
  m.def("softcap(Tensor x, float cap) -> Tensor");
  m.def("softcap_backward(Tensor grad, Tensor x, float cap) -> Tensor");
}
STABLE_TORCH_LIBRARY_IMPL(softcap, CPU, m) {
  m.impl("softcap", TORCH_BOX(&softcap_cpu));
  m.impl("softcap_backward", TORCH_BOX(&softcap_backward_cpu));
}
STABLE_TORCH_LIBRARY_IMPL(softcap, Meta, m) {
  m.impl("softcap", TORCH_BOX(&softcap_meta));
  m.impl("softcap_backward", TORCH_BOX(&softcap_backward_meta));
}
