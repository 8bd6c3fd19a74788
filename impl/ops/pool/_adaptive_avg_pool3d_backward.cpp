// _adaptive_avg_pool3d_backward: each result's gradient, divided, goes to all elements of its window.
#include "rules/pooling.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& grad, const Tensor& self) {
  check_non_empty(grad, 1, "adaptive_avg_pool3d_backward()", "grad_output", "grad_output has sizes ");
  check(grad.dim() == 4 || grad.dim() == 5, "adaptive_avg_pool3d_backward(): Expected 4D or 5D tensor, but got {}", self.sizes());
  check(grad.dtype() == self.dtype(), "expected scalar type {} but found {}", self.dtype(), grad.dtype());
  check(grad.dim() == self.dim() && Spatial(grad.sizes(), 3).planes == Spatial(self.sizes(), 3).planes,
        "adaptive_avg_pool3d_backward(): grad_output of size {} does not fit input of size {}", grad.sizes(), self.sizes());
  add_like(out, self, self.sizes(), self.dtype(), false);
};

constexpr auto kernel = [](const Tensor& grad, const Tensor& self, Tensor& out) {
  dispatch_floating(self.dtype(), "adaptive_avg_pool3d_backward_cpu", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Tensor g = planar(grad);
    with_contiguous(out, [&](Tensor& x) {
      const Spatial in(x.sizes(), 3), results(g.sizes(), 3);
      cpu::parallel_for(0, in.planes, std::max<int64_t>(1, 16384 / (in.total + results.total)), [&](int64_t begin, int64_t end) {
        std::vector<C> sums(size_t(in.total));
        for (int64_t p = begin; p < end; ++p) {
          std::fill(sums.begin(), sums.end(), C(0));
          const T* from = g.template data<T>() + p * results.total;
          for_adaptive_windows(in, results, [&](const AdaptiveWindow& d, const AdaptiveWindow& h, const AdaptiveWindow& w) {
            const C share = C(*from++) / C(d.size()) / C(h.size()) / C(w.size());
            for_window_lines(in, d, h, [&](int64_t line) {
              for (int64_t i = w.start; i < w.end; ++i) sums[size_t(line + i)] += share;
            });
          });
          T* plane = x.template data<T>() + p * in.total;
          for (int64_t i = 0; i < in.total; ++i) plane[i] = T(sums[size_t(i)]);
        }
      });
    });
  });
};

MT_OP(OpDef{
    .schema = {"_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor"},
    .doc = "Each result's gradient, divided, goes to all elements of its window.",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt("grad_output", [](Grad g, MetaOf<"grad_output"> grad) {
               return op<"_adaptive_avg_pool3d">(g, IntList(grad.sizes.end() - 3, 3));
             }),
             wrt("self", [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "AdaptiveAvgPool3DBackwardBackward0",
});

}  // namespace
}  // namespace mt
