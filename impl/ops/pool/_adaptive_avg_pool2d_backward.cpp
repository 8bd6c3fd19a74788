// _adaptive_avg_pool2d_backward: each result's gradient, divided, goes to all elements of its window.
#include "rules/pooling.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& grad, const Tensor& self) {
  check_non_empty(grad, grad.dim() - 2, "adaptive_avg_pool2d_backward()", "grad_output", "grad_output has sizes ");
  check(grad.dim() == 3 || grad.dim() == 4, "adaptive_avg_pool2d_backward(): Expected 3D or 4D tensor, but got {}", self.sizes());
  check(grad.dtype() == self.dtype(),
        "adaptive_avg_pool2d_backward_out_cpu_template: Expected dtype {} for `grad_output` but got dtype {}",
        ScalarName(self.dtype()), ScalarName(grad.dtype()));
  check(grad.dim() == self.dim() && Spatial(grad.sizes(), 2).planes == Spatial(self.sizes(), 2).planes,
        "adaptive_avg_pool2d_backward(): grad_output of size {} does not fit input of size {}", grad.sizes(), self.sizes());
  add_like(out, self, self.sizes(), self.dtype(), true);
};

constexpr auto kernel = [](const Tensor& grad, const Tensor& self, Tensor& out) {
  dispatch_floating(self.dtype(), "adaptive_avg_pool2d_backward", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    const Tensor g = planar(grad);
    with_contiguous(out, [&](Tensor& x) {
      const Spatial in(x.sizes(), 2), results(g.sizes(), 2);
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
    .schema = {"_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor"},
    .doc = "Each result's gradient, divided, goes to all elements of its window.",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt("grad_output", [](Grad g, MetaOf<"grad_output"> grad) {
               return op<"_adaptive_avg_pool2d">(g, IntList(grad.sizes.end() - 2, 2));
             }),
             wrt("self", [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "AdaptiveAvgPool2DBackwardBackward0",
});

}  // namespace
}  // namespace mt
