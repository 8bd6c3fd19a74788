// avg_pool3d: the mean of each window over three dimensions.
#include "rules/pooling.h"

namespace mt {
namespace {

Window window_of(IntList kernel, IntList stride, IntList padding, bool ceil_mode, const std::optional<int64_t>& divisor) {
  Window window = pool_window("avg_pool3d", 3, kernel, stride, padding, IntList{1}, ceil_mode);
  check(!divisor || *divisor != 0, "divisor must be not zero");
  return window;
}

constexpr auto shape = [](Specs& out, const Tensor& self, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool,
                          std::optional<int64_t> divisor) {
  add_like(out, self, pooled_sizes(self, window_of(kernel, stride, padding, ceil_mode, divisor), true), self.dtype(), false);
};

constexpr auto kernel = [](const Tensor& self, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool count_include_pad,
                           std::optional<int64_t> divisor, Tensor& out) {
  const Window window = window_of(kernel, stride, padding, ceil_mode, divisor);
  auto averaged = [&]<class T>(Type<T>) {
    const Tensor x = planar(self);
    with_contiguous(out, [&](Tensor& y) {
      cpu::avg_pool<T>(pool_shape(x.sizes(), y.sizes(), window), {count_include_pad, divisor.value_or(0)},
                       x.template data<T>(), y.template data<T>());
    });
  };
  if (is_half(self.dtype())) not_implemented_for("avg_pool3d_out_frame", self.dtype());
  if (self.dtype() == Dtype::int64) return averaged(Type<int64_t>());
  dispatch_floating(self.dtype(), "avg_pool3d_out_frame", averaged);
};

MT_OP(OpDef{
    .schema = {"avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, "
               "bool count_include_pad=True, int? "
               "divisor_override=None) -> Tensor"},
    .forms = function | out,
    .doc = "The mean of each window over three dimensions.",
    .module = "nn",
    .rule = structured_exact(shape),
    .cpu = kernel,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"kernel_size", IntList> kernel, In<"stride", IntList> stride,
                    In<"padding", IntList> padding, In<"ceil_mode", bool> ceil_mode,
                    In<"count_include_pad", bool> count, In<"divisor_override", std::optional<int64_t>> divisor) {
                   return op<"avg_pool3d_backward">(g, x, *kernel, *stride, *padding, *ceil_mode, *count, *divisor);
                 })},
    .grad_name = "AvgPool3DBackward0",
});

}  // namespace
}  // namespace mt
