// max_pool3d_with_indices: the largest element of each window over three dimensions, and its place in the plane.
#include "rules/pooling.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& self, IntList kernel, IntList stride, IntList padding,
                          IntList dilation, bool ceil_mode) {
  const Dims sizes = pooled_sizes(self, pool_window("max_pool3d", 3, kernel, stride, padding, dilation, ceil_mode), false);
  add_like(out, self, sizes, self.dtype(), true);
  add_like(out, self, sizes, Dtype::int64, true);
};

constexpr auto kernel = [](const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation,
                           bool ceil_mode, Tensor& values, Tensor& places) {
  const Window window = pool_window("max_pool3d", 3, kernel, stride, padding, dilation, ceil_mode);
  auto pooled = [&]<class T>(Type<T>) {
    if constexpr (!std::is_same_v<T, uint16_t> && !std::is_same_v<T, uint32_t> && !std::is_same_v<T, uint64_t>) {
      if (are_channels_last(self, values, 3) && are_channels_last(self, places, 3)) {
        cpu::PoolShape shape = pool_shape(self.sizes(), values.sizes(), window);
        shape.planes = self.size(0);
        return cpu::max_pool_channels_last<T>(shape, self.size(1), self.data<T>(), values.data<T>(), places.data<int64_t>());
      }
      const Tensor x = planar(self);
      with_contiguous(values, [&](Tensor& y) {
        with_contiguous(places, [&](Tensor& at) {
          cpu::max_pool<T>(pool_shape(x.sizes(), y.sizes(), window), x.template data<T>(), y.template data<T>(),
                           at.template data<int64_t>());
        });
      });
    } else {
      not_implemented_for("max_pool3d", self.dtype());
    }
  };
  dispatch_real(self.dtype(), "max_pool3d", pooled);
};

MT_OP(OpDef{
    .schema = {"max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] "
               "dilation=1, bool ceil_mode=False) -> "
               "(Tensor, Tensor)"},
    .forms = function | out,
    .doc = "The largest element of each window over three dimensions, and its place in the plane.",
    .module = "nn",
    .rule = structured_exact(shape),
    .cpu = kernel,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"kernel_size", IntList> kernel, In<"stride", IntList> stride,
                    In<"padding", IntList> padding, In<"dilation", IntList> dilation, In<"ceil_mode", bool> ceil_mode,
                    Out<"result1"> places) {
                   return op<"max_pool3d_with_indices_backward">(g, x, *kernel, *stride, *padding, *dilation,
                                                                 *ceil_mode, places);
                 })},
    .grad_name = "MaxPool3DWithIndicesBackward0",
});

}  // namespace
}  // namespace mt
