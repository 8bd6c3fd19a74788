// _adaptive_avg_pool2d: means of as many windows over two dimensions as are asked for.
#include "rules/pooling.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& self, IntList output_size) {
  check(output_size.size() == 2, "adaptive_avg_pool2d: output_size must be 2");
  check(self.dim() == 3 || self.dim() == 4, "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {}", self.sizes());
  check_non_empty(self, self.dim() - 2, "adaptive_avg_pool2d()", "input", "input has sizes ");
  Dims sizes(IntList(self.sizes().begin(), self.dim() - 2));
  for (int64_t size : output_size) sizes.push_back(size);
  add_like(out, self, sizes, self.dtype(), true);
};

constexpr auto kernel = [](const Tensor& self, IntList, Tensor& out) {
  dispatch_floating(self.dtype(), "adaptive_avg_pool2d", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Tensor x = planar(self);
    with_contiguous(out, [&](Tensor& y) {
      const Spatial in(x.sizes(), 2), results(y.sizes(), 2);
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
    .schema = {"_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor"},
    .forms = function,
    .doc = "Means of as many windows over two dimensions as are asked for.",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt("self", [](Grad g, In<"self"> self) { return op<"_adaptive_avg_pool2d_backward">(g, self); })},
    .grad_name = "AdaptiveAvgPool2DBackward0",
});

}  // namespace
}  // namespace mt
