// adaptive_max_pool3d: the largest elements of as many windows over three dimensions as are asked for, and their places.
#include "rules/pooling.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& self, IntList output_size) {
  check(self.dim() == 4 || self.dim() == 5, "adaptive_max_pool3d(): Expected 4D or 5D tensor, but got: {}", self.sizes());
  check_non_empty(self, 1, "adaptive_max_pool3d()", "input", "input has sizes ");
  check(output_size.size() == 3, "adaptive_max_pool3d(): internal error: output_size.size() must be 3");
  Dims sizes(IntList(self.sizes().begin(), self.dim() - 3));
  for (int64_t size : output_size) sizes.push_back(size);
  for (int64_t size : sizes) check(size >= 0, "Trying to create tensor with negative dimension {}: {}", size, sizes);
  add_like(out, self, sizes, self.dtype(), false);
  add_like(out, self, sizes, Dtype::int64, false);
};

constexpr auto kernel = [](const Tensor& self, IntList, Tensor& values, Tensor& places) {
  dispatch_floating(self.dtype(), "adaptive_max_pool3d_cpu", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Tensor x = planar(self);
    with_contiguous(values, [&](Tensor& y) {
      with_contiguous(places, [&](Tensor& at) {
        const Spatial in(x.sizes(), 3), results(y.sizes(), 3);
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
    .schema = {"adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)"},
    .forms = function | out,
    .doc = "The largest elements of as many windows over three dimensions as are asked for, and their places.",
    .module = "nn",
    .rule = structured_exact(shape),
    .cpu = kernel,
    .grad = {wrt("self", [](Grad g, In<"self"> self,
                            Out<"result1"> places) { return op<"adaptive_max_pool3d_backward">(g, self, places); })},
    .grad_name = "AdaptiveMaxPool3DBackward0",
});

}  // namespace
}  // namespace mt
