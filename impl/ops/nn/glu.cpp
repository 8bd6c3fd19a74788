// glu: the first half of `dim` times the sigmoid of the second.
#include "core/dispatch_dtype.h"
#include "rules/algebra.h"
#include "rules/rule.h"

namespace mt {
namespace {

struct Halves {
  Tensor value, gate;
};
Halves halves_of(const Tensor& self, int64_t dim) {
  const int64_t d = wrap_dim(dim, self.dim()), n = self.size(d) / 2;
  return {op<"narrow">(self, d, 0, n), op<"narrow">(self, d, n, n)};
}
constexpr auto gated = [](const Tensor& self, int64_t dim) -> Tensor {
  check(self.dim() > 0, "glu does not support 0-dimensional tensors");
  const int64_t d = wrap_dim(dim, self.dim()), n = self.size(d);
  check(n % 2 == 0, "Halving dimension must be even, but dimension {} is size {}", d, n);
  if (!is_floating(self.dtype())) not_implemented_for("glu_cpu", self.dtype());
  BelowAutograd guard;
  const Halves h = halves_of(self, d);
  return h.value * op<"sigmoid">(h.gate);
};

MT_OP(OpDef{
    .schema = {"glu(Tensor self, int dim=-1) -> Tensor"},
    .forms = function | out,
    .doc = "The first half of `dim` times the sigmoid of the second.",
    .module = "nn",
    .cpu = gated,
    .npu = {any_device},
    .meta = gated,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, In<"dim", int64_t> dim) {
                   const Halves h = halves_of(self, *dim);
                   const Tensor open = op<"sigmoid">(h.gate), parts[] = {g * open, op<"sigmoid_backward">(g * h.value, open)};
                   return op<"cat">(TensorList(parts, 2), *dim);
                 })},
});

}  // namespace
}  // namespace mt
