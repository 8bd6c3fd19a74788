// adaptive_max_pool2d: the largest elements of as many windows over two dimensions as are asked for, and their places.
#include "rules/pooling.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& self, IntList output_size) {
  check(self.dim() == 3 || self.dim() == 4, "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: {}", self.sizes());
  check_non_empty(self, 1, "adaptive_max_pool2d()", "input", "input has sizes ");
  check(output_size.size() == 2, "adaptive_max_pool2d(): internal error: output_size.size() must be 2");
  Dims sizes(IntList(self.sizes().begin(), self.dim() - 2));
  for (int64_t size : output_size) sizes.push_back(size);
  for (int64_t size : sizes) check(size >= 0, "Trying to create tensor with negative dimension {}: {}", size, sizes);
  add_like(out, self, sizes, self.dtype(), true);
  add_like(out, self, sizes, Dtype::int64, true);
};

constexpr auto kernel = [](const Tensor& self, IntList, Tensor& values, Tensor& places) {
  dispatch_floating(self.dtype(), "adaptive_max_pool2d", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Tensor x = planar(self);
    with_contiguous(values, [&](Tensor& y) {
      with_contiguous(places, [&](Tensor& at) {
        const Spatial in(x.sizes(), 2), results(y.sizes(), 2);
        for_rows(in.planes, in.total + results.total, [&](int64_t p) {
          const T* plane = x.template data<T>() + p * in.total;
          T* to = y.template data<T>() + p * results.total;
          int64_t* place = at.template data<int64_t>() + p * results.total;
          for_adaptive_windows(in, results, [&](const AdaptiveWindow& d, const AdaptiveWindow& h, const AdaptiveWindow& w) {
            C best = -C(__builtin_inf());
            int64_t where = (d.start * in.size[1] + h.start) * in.size[2] + w.start;
            for_window_lines(in, d, h, [&](int64_t line) {
              for (int64_t i = w.start; i < w.end; ++i) {
                const C value = C(plane[line + i]);
                if (value > best || value != value) best = value, where = line + i;
              }
            });
            *to++ = T(best);
            *place++ = where;
          });
        });
      });
    });
  });
};

MT_OP(OpDef{
    .schema = {"adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)"},
    .forms = function | out,
    .doc = "The largest elements of as many windows over two dimensions as are asked for, and their places.",
    .module = "nn",
    .rule = structured_exact(shape),
    .cpu = kernel,
    .grad = {wrt("self", [](Grad g, In<"self"> self,
                            Out<"result1"> places) { return op<"adaptive_max_pool2d_backward">(g, self, places); })},
    .grad_name = "AdaptiveMaxPool2DBackward0",
});

}  // namespace
}  // namespace mt
