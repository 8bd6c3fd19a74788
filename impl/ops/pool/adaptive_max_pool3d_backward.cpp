// adaptive_max_pool3d_backward: each result's gradient goes to the element that was picked.
#include "rules/pooling.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& grad, const Tensor& self, const Tensor& indices) {
  check(grad.dim() == 4 || grad.dim() == 5, "adaptive_max_pooling3d_backward(): Expected 4D or 5D grad_output, but got: {}", grad.sizes());
  check_non_empty(grad, 1, "adaptive_max_pool3d_backward()", "grad_output", "grad_output has sizes ");
  check_same_dtype(grad, self, "gradOutput");
  check(grad.sizes() == indices.sizes(), "expected sizes {} for `gradOutput` but got sizes {}", indices.sizes(), grad.sizes());
  check(grad.dim() == self.dim() && Spatial(grad.sizes(), 3).planes == Spatial(self.sizes(), 3).planes,
        "adaptive_max_pool3d_backward(): grad_output of size {} does not fit input of size {}", grad.sizes(), self.sizes());
  add_like(out, self, self.sizes(), self.dtype(), false);
};

constexpr auto kernel = [](const Tensor& grad, const Tensor& self, const Tensor& indices, Tensor& out) {
  check(indices.dtype() == Dtype::int64, "expected scalar type Long but found {}", indices.dtype());
  dispatch_floating(self.dtype(), "adaptive_max_pool3d_backward", [&]<class T>(Type<T>) {
    const Tensor g = planar(grad), at = planar(indices);
    const Spatial in(self.sizes(), 3), results(g.sizes(), 3);
    with_contiguous(out, [&](Tensor& x) {
      add_at_places<T>(in.planes, in.total, results.total, g.template data<T>(), at.template data<int64_t>(), x.template data<T>());
    });
  });
};

MT_OP(OpDef{
    .schema = {"adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor"},
    .doc = "Each result's gradient goes to the element that was picked.",
    .rule = structured_exact(shape),
    .cpu = kernel,
    .grad = {wrt("grad_output", [](Grad g, In<"indices"> places) { return gather_places(g, places, 3); }),
             wrt("self", [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "AdaptiveMaxPool3DBackwardBackward0",
});

}  // namespace
}  // namespace mt
