// avg_pool3d_backward: each result's gradient, divided, goes to all elements of its window.
#include "rules/pooling.h"

namespace mt {
namespace {

Window window_of(IntList kernel, IntList stride, IntList padding, bool ceil_mode, const std::optional<int64_t>& divisor) {
  Window window = pool_window("avg_pool3d", 3, kernel, stride, padding, IntList{1}, ceil_mode);
  check(!divisor || *divisor != 0, "divisor must be not zero");
  return window;
}

constexpr auto shape = [](Specs& out, const Tensor& grad, const Tensor& self, IntList kernel, IntList stride,
                          IntList padding, bool ceil_mode, bool, std::optional<int64_t> divisor) {
  const Window window = window_of(kernel, stride, padding, ceil_mode, divisor);
  check_same_size(grad, pooled_sizes(self, window, true), 3);
  check_same_dtype(grad, self, "gradOutput");
  add_like(out, self, self.sizes(), self.dtype(), false);
};

constexpr auto kernel = [](const Tensor& grad, const Tensor& self, IntList kernel, IntList stride, IntList padding, bool ceil_mode,
                           bool count_include_pad, std::optional<int64_t> divisor, Tensor& out) {
  const Window window = window_of(kernel, stride, padding, ceil_mode, divisor);
  auto spread = [&]<class T>(Type<T>) {
    const Tensor g = planar(grad);
    with_contiguous(out, [&](Tensor& x) {
      cpu::avg_pool_backward<T>(pool_shape(x.sizes(), g.sizes(), window), {count_include_pad, divisor.value_or(0)}, g.template data<T>(),
                                x.template data<T>());
    });
  };
  if (is_half(self.dtype())) not_implemented_for("avg_pool3d_backward_out_frame", self.dtype());
  if (self.dtype() == Dtype::int64) return spread(Type<int64_t>());
  dispatch_floating(self.dtype(), "avg_pool3d_backward_out_frame", spread);
};

MT_OP(OpDef{
    .schema = {"avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] "
               "padding, bool ceil_mode, bool "
               "count_include_pad, int? divisor_override) -> Tensor"},
    .doc = "Each result's gradient, divided, goes to all elements of its window.",
    .rule = structured_exact(shape),
    .cpu = kernel,
    .grad = {wrt("grad_output",
                 [](Grad g, In<"kernel_size", IntList> kernel, In<"stride", IntList> stride,
                    In<"padding", IntList> padding, In<"ceil_mode", bool> ceil_mode,
                    In<"count_include_pad", bool> count, In<"divisor_override", std::optional<int64_t>> divisor) {
                   return op<"avg_pool3d">(g, *kernel, *stride, *padding, *ceil_mode, *count, *divisor);
                 }),
             wrt("self",
                 [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "AvgPool3DBackwardBackward0",
});

}  // namespace
}  // namespace mt
