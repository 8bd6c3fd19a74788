// glu: the first half of `dim` times the sigmoid of the second; with its backward.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto glu_of = [](auto value, auto gate) { return value * (1 / (1 + exp_(-gate))); };
constexpr auto gate_gradient_of = [](auto open, auto value, auto g) { return (1 - open) * open * value * g; };

struct Halves {
  Tensor value, gate;
};
Halves split_in_halves(const Tensor& self, int64_t dim) {
  const int64_t d = wrap_dim(dim, self.dim()), n = self.size(d) / 2;
  return {op<"narrow">(self, d, 0, n), op<"narrow">(self, d, n, n)};
}
Halves check_and_split_in_halves(const Tensor& self, int64_t dim) {
  check(self.dim() > 0, "glu does not support 0-dimensional tensors");
  const int64_t d = wrap_dim(dim, self.dim()), n = self.size(d);
  check(n % 2 == 0, "Halving dimension must be even, but dimension {} is size {}", d, n);
  if (!is_floating(self.dtype())) not_implemented_for("glu_cpu", self.dtype());
  BelowAutograd guard;
  return split_in_halves(self, d);
}
Tensor empty_with_strides_of(const Tensor& t) {
  Dims sizes, strides;
  pointwise_geometry(&t, 1, sizes, strides);
  return strides.size() == 0 ? empty(sizes, t.dtype()) : empty_strided(sizes, strides, t.dtype());
}
void run_unless_empty(const PointwiseKernel* kernel, const Tensor& out, std::initializer_list<Tensor> inputs) {
  if (out.numel() > 0) run_pointwise(*kernel, compute_dtype(out.dtype()), out, inputs.begin(), int(inputs.size()));
}

// Computes in one pass on the CPU, with operators elsewhere.
constexpr auto compute_glu = [](const Tensor& self, int64_t dim) -> Tensor {
  const Halves h = check_and_split_in_halves(self, dim);
  BelowAutograd guard;
  if (!self.device().is_cpu()) return h.value * op<"sigmoid">(h.gate);
  const Tensor out = empty_with_strides_of(h.value);
  run_unless_empty(kernel_of<glu_of, 2, dtypes::floating>("glu_cpu"), out, {h.value, h.gate});
  return out;
};
constexpr auto differentiate_glu = [](const Tensor& g, const Tensor& self, int64_t dim) -> Tensor {
  const Halves h = check_and_split_in_halves(self, dim);
  check(g.sizes() == h.value.sizes(), "glu_backward: expected a gradient of sizes {}, but got {}", h.value.sizes(), g.sizes());
  BelowAutograd guard;
  if (!self.device().is_cpu()) {
    const Tensor open = op<"sigmoid">(h.gate), parts[] = {g * open, op<"sigmoid_backward">(g * h.value, open)};
    return op<"cat">(TensorList(parts, 2), dim);
  }
  const Tensor out = empty_with_strides_of(self);
  const Halves to = split_in_halves(out, dim);  // half types round the sigmoid, which is stored in the first half until the end
  op<"sigmoid.out">(h.gate, to.value);
  run_unless_empty(kernel_of<gate_gradient_of, 3, dtypes::floating>("glu_backward_cpu"), to.gate, {to.value, h.value, g});
  op<"mul.out">(to.value, g, to.value);
  return out;
};

MT_OP(OpDef{
    .schema = {"glu(Tensor self, int dim=-1) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the gated linear unit: the first half of a dimension times the sigmoid of the second.

(Dauphin et al., "Language modeling with gated convolutional networks", ICML 2017.)

Args:
    self (Tensor): floating tensor; an even size along `dim`.
    dim (int): dimension to halve; negative counts from the last. Default: ``-1``.

Returns:
    Tensor: half as long along `dim`.

Raises:
    RuntimeError: when the size is odd or `self` has no dimension.

Example:
    >>> F.glu(torch.tensor([1.0, 2.0, 0.0, 0.0]))
    tensor([0.5000, 1.0000]))",
    .module = "nn",
    .cpu = compute_glu,
    .npu = {any_device},
    .meta = compute_glu,
    .grad = {wrt("self", [](Grad g, In<"self"> self, In<"dim", int64_t> dim) { return op<"glu_backward">(g, self, *dim); })},
    .out_policy = OutPolicy{.casts = true, .takes_strides = true},
});

MT_OP(OpDef{
    .schema = {"glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``glu``.",
    .cpu = differentiate_glu,
    .npu = {any_device},
    .meta = differentiate_glu,
    .grad = {wrt("grad_output",
                 [](Grad g, In<"self"> self, In<"dim", int64_t> dim) {
                   const Halves h = split_in_halves(self, *dim), of = split_in_halves(g, *dim);
                   const Tensor open = op<"sigmoid">(h.gate);
                   return of.value * open + op<"sigmoid_backward">(of.gate * h.value, open);
                 }),
             wrt("self",
                 [](Grad g, In<"grad_output"> go, In<"self"> self, In<"dim", int64_t> dim) {
                   const Halves h = split_in_halves(self, *dim), of = split_in_halves(g, *dim);
                   const Tensor open = op<"sigmoid">(h.gate),
                                parts[] = {op<"sigmoid_backward">(of.gate * go, open),
                                           op<"sigmoid_backward">((of.value + of.gate * h.value * (1 - open * 2)) * go, open)};
                   return op<"cat">(TensorList(parts, 2), *dim);
                 })},
});

}  // namespace
}  // namespace mt
