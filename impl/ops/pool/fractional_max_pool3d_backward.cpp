// fractional_max_pool3d_backward: each result's gradient goes to the element that was picked.
#include "rules/pooling.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& grad, const Tensor& self, IntList, IntList output_size, const Tensor& indices) {
  bool fits = output_size.size() == 3 && grad.dim() == self.dim() && self.dim() > 3;
  for (int64_t i = 0; fits && i < 3; ++i) fits = grad.size(grad.dim() - 3 + i) == output_size[i];
  static constexpr const char* names[] = {"time", "height", "width"};
  for (int64_t i = 0; i < 3; ++i)
    check(fits || grad.dim() < 3 || grad.size(grad.dim() - 3 + i) == output_size[i],
          "fractional_max_pool3d_backward_out(): gradOutput {} unexpected", names[i]);
  check(fits, "fractional_max_pool3d_backward_out(): gradOutput sizes unexpected");
  check(grad.sizes() == indices.sizes() && Spatial(grad.sizes(), 3).planes == Spatial(self.sizes(), 3).planes,
        "expected sizes {} for `gradOutput` but got sizes {}", indices.sizes(), grad.sizes());
  out.add(self.sizes(), self.dtype());
};

constexpr auto kernel = [](const Tensor& grad, const Tensor& self, IntList, IntList, const Tensor& indices, Tensor& out) {
  check(indices.dtype() == Dtype::int64, "expected scalar type Long but found {}", indices.dtype());
  dispatch_floating(grad.dtype(), "fractional_max_pool3d_backward_out_frame", [&]<class T>(Type<T>) {
    check(self.dtype() == grad.dtype(), "expected scalar type {} but found {}", grad.dtype(), self.dtype());
    const Tensor g = planar(grad), at = planar(indices);
    const Spatial in(self.sizes(), 3), results(g.sizes(), 3);
    add_at_places<T>(in.planes, in.total, results.total, g.template data<T>(), at.template data<int64_t>(), out.data<T>());
  });
};

MT_OP(OpDef{
    .schema = {"fractional_max_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] "
               "output_size, Tensor indices) -> Tensor"},
    .doc = "Each result's gradient goes to the element that was picked.",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt("grad_output", [](Grad g, In<"indices"> places) { return gather_places(g, places, 3); }),
             wrt("self",
                 [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "FractionalMaxPool3DBackwardBackward0",
});

}  // namespace
}  // namespace mt
