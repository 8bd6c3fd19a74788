// fractional_max_pool2d_backward: each result's gradient goes to the element that was picked.
#include "rules/pooling.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& grad, const Tensor& self, IntList, IntList output_size, const Tensor& indices) {
  bool fits = output_size.size() == 2 && grad.dim() == self.dim() && self.dim() > 2;
  for (int64_t i = 0; fits && i < 2; ++i) fits = grad.size(grad.dim() - 2 + i) == output_size[i];
  check(fits, "fractional_max_pool2d_backward(): gradOutput sizes unexpected");
  check(grad.sizes() == indices.sizes() && Spatial(grad.sizes(), 2).planes == Spatial(self.sizes(), 2).planes,
        "expected sizes {} for `gradOutput` but got sizes {}", indices.sizes(), grad.sizes());
  out.add(self.sizes(), self.dtype());
};

constexpr auto kernel = [](const Tensor& grad, const Tensor& self, IntList, IntList, const Tensor& indices, Tensor& out) {
  check(indices.dtype() == Dtype::int64, "expected scalar type Long but found {}", indices.dtype());
  dispatch_floating(grad.dtype(), "fractional_max_pool2d_backward_out_frame", [&]<class T>(Type<T>) {
    check(self.dtype() == grad.dtype(), "expected scalar type {} but found {}", grad.dtype(), self.dtype());
    const Tensor g = planar(grad), at = planar(indices);
    const Spatial in(self.sizes(), 2), results(g.sizes(), 2);
    add_at_places<T>(in.planes, in.total, results.total, g.template data<T>(), at.template data<int64_t>(), out.data<T>());
  });
};

MT_OP(OpDef{
    .schema = {"fractional_max_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] "
               "output_size, Tensor indices) -> Tensor"},
    .doc = "Each result's gradient goes to the element that was picked.",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt("grad_output", [](Grad g, In<"indices"> places) { return gather_places(g, places, 2); }),
             wrt("self",
                 [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "FractionalMaxPool2DBackwardBackward0",
});

}  // namespace
}  // namespace mt
