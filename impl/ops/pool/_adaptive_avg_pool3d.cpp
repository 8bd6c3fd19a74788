// _adaptive_avg_pool3d: means of as many windows over three dimensions as are asked for.
#include "rules/pooling.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& self, IntList output_size) {
  check(output_size.size() == 3, "adaptive_avg_pool3d: output_size must be 3");
  check(self.dim() == 4 || self.dim() == 5, "adaptive_avg_pool3d(): Expected 4D or 5D tensor, but got {}", self.sizes());
  check_non_empty(self, 1, "adaptive_avg_pool3d()", "input", "input has sizes ");
  Dims sizes(IntList(self.sizes().begin(), self.dim() - 3));
  for (int64_t size : output_size) sizes.push_back(size);
  add_like(out, self, sizes, self.dtype(), false);
};

constexpr auto kernel = [](const Tensor& self, IntList, Tensor& out) {
  dispatch_floating(self.dtype(), "adaptive_avg_pool3d_cpu", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Tensor x = planar(self);
    with_contiguous(out, [&](Tensor& y) {
      const Spatial in(x.sizes(), 3), results(y.sizes(), 3);
      for_rows(in.planes, in.total + results.total, [&](int64_t p) {
        const T* plane = x.template data<T>() + p * in.total;
        T* to = y.template data<T>() + p * results.total;
        for_adaptive_windows(in, results, [&](const AdaptiveWindow& d, const AdaptiveWindow& h, const AdaptiveWindow& w) {
          C sum = 0;
          for_window_lines(in, d, h, [&](int64_t line) {
            for (int64_t i = w.start; i < w.end; ++i) sum += C(plane[line + i]);
          });
          *to++ = T(sum / C(d.size()) / C(h.size()) / C(w.size()));
        });
      });
    });
  });
};

MT_OP(OpDef{
    .schema = {"_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor"},
    .forms = function,
    .doc = "Means of as many windows over three dimensions as are asked for.",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt("self", [](Grad g, In<"self"> self) { return op<"_adaptive_avg_pool3d_backward">(g, self); })},
    .grad_name = "AdaptiveAvgPool3DBackward0",
});

}  // namespace
}  // namespace mt
