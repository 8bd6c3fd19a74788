// max_pool3d_with_indices_backward: each result's gradient goes to the element that was picked.
#include "rules/pooling.h"

namespace mt {
namespace {

void check_arguments(const Tensor& grad, const Tensor& self, const Window& window, const Tensor& indices) {
  check_same_dtype(grad, self, "gradOutput");
  const Dims sizes = pooled_sizes(self, window, false);
  check_same_size(grad, sizes, 3);
  check_same_size(indices, sizes, 3);
}

constexpr auto shape = [](Specs& out, const Tensor& grad, const Tensor& self, IntList kernel, IntList stride,
                          IntList padding, IntList dilation, bool ceil_mode, const Tensor& indices) {
  check_arguments(grad, self, pool_window("max_pool3d", 3, kernel, stride, padding, dilation, ceil_mode), indices);
  add_like(out, self, self.sizes(), self.dtype(), true);
};

constexpr auto kernel = [](const Tensor& grad, const Tensor& self, IntList, IntList, IntList, IntList, bool,
                           const Tensor& indices, Tensor& out) {
  check(indices.dtype() == Dtype::int64, "expected scalar type Long but found {}", indices.dtype());
  dispatch_floating(self.dtype(), "max_pool3d_backward", [&]<class T>(Type<T>) {
    const Tensor g = planar(grad), at = planar(indices);
    const Spatial in(self.sizes(), 3), results(g.sizes(), 3);
    with_contiguous(out, [&](Tensor& x) {
      add_at_places<T>(in.planes, in.total, results.total, g.template data<T>(), at.template data<int64_t>(), x.template data<T>());
    });
  });
};

MT_OP(OpDef{
    .schema = {"max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, "
               "int[3] padding, int[3] dilation, bool "
               "ceil_mode, Tensor indices) -> Tensor"},
    .doc = "Each result's gradient goes to the element that was picked.",
    .rule = structured_exact(shape),
    .cpu = kernel,
    .grad = {wrt("grad_output", [](Grad g, In<"indices"> places) { return gather_places(g, places, 3); }),
             wrt("self",
                 [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "MaxPool3DWithIndicesBackwardBackward0",
});

}  // namespace
}  // namespace mt
