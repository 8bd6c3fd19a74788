// aminmax: the smallest and the largest element, of all or of each line along a dimension.
#include "rules/exact_out.h"
#include "rules/extremes.h"

namespace mt {
namespace {

using Dim = std::optional<int64_t>;

uint64_t mask_of(int64_t ndim, Dim dim) { return dim ? reduced_dims(IntList{*dim}, ndim) : reduced_dims(std::nullopt, ndim); }

// The gradient of one of both results, shared by all elements that equal it.
Tensor shared(const Tensor& g, const Tensor& x, const Tensor& y, Dim dim, bool keepdim) {
  if (!g.defined()) return g;
  const Dims dims = dim ? Dims{*dim} : Dims();
  return extreme_gradient(restore_dims(g, dims, keepdim, x.dim()), x, restore_dims(y, dims, keepdim, x.dim()), dims);
}

MT_OP(OpDef{
    .schema = {"aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)"},
    .forms = function | method | out,
    .doc = "The smallest and the largest element, of all or of each line along `dim`; ties share the gradient.",
    .rule = structured_exact([](Specs& out, const Tensor& self, Dim dim, bool keepdim) {
      const uint64_t mask = mask_of(self.dim(), dim);
      if (dim) {
        const int64_t d = wrap_dim(*dim, self.dim());
        check(self.dim() == 0 || self.size(d) != 0, ErrorKind::index, "aminmax: Expected reduction dim {} to have non-zero size.", d);
      } else {
        check(self.numel() > 0, "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
      }
      const Dims sizes = reduced_sizes(self.sizes(), mask, keepdim);
      out.add(sizes, self.dtype());
      out.add(sizes, self.dtype());
    }),
    .cpu =
        [](const Tensor& self, Dim dim, bool, Tensor& min, Tensor& max) {
          const uint64_t mask = mask_of(self.dim(), dim);
          reduce_extreme<false>(self, mask, min, "aminmax_cpu");
          reduce_extreme<true>(self, mask, max, "aminmax_cpu");
        },
    .npu = {"Aminmax(self, [dim], keepdim)"},
    .grad = {wrt("self",
                 [](GradOf<0> g_min, GradOf<1> g_max, In<"self"> x, Out<"min"> min, Out<"max"> max, In<"dim", Dim> dim,
                    In<"keepdim", bool> keepdim) {
                   Tensor a = shared(g_min, x, min, *dim, *keepdim), b = shared(g_max, x, max, *dim, *keepdim);
                   return !a.defined() ? b : b.defined() ? a + b : a;
                 })},
});

}  // namespace
}  // namespace mt
