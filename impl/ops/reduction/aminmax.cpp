// aminmax: the smallest and the largest element, of all or of each line along a dimension.
#include "rules/form/exact_out.h"
#include "rules/reduction/extremes.h"

namespace mt {
namespace {

using Dim = std::optional<int64_t>;

uint64_t mask_of_reduced_dims(int64_t ndim, Dim dim) { return dim ? reduced_dims(IntList{*dim}, ndim) : reduced_dims(std::nullopt, ndim); }

// Both extremes of contiguous elements, in blocks that the second fold finds in the cache; half types are widened once for both.
template <class T>
void compute_extremes_of_all(const Tensor& self, const Tensor& min, const Tensor& max) {
  using C = ComputeType<T>;
  using MinReducer = ExtremeReducer<C, false>;
  using MaxReducer = ExtremeReducer<C, true>;
  constexpr int64_t grain = 32768, width = std::is_same_v<T, C> ? 1 : fold_block;
  const auto least_of = detail::choose_fold_rows<MinReducer, C>();
  const auto most_of = detail::choose_fold_rows<MaxReducer, C>();
  const T* const data = static_cast<const T*>(self.data());
  const cpu::Chunks chunks = cpu::chunks_of(self.numel(), grain);
  C least[cpu::max_chunks], most[cpu::max_chunks];
  cpu::parallel_for(0, self.numel(), grain, [&](int64_t begin, int64_t end) {
    alignas(64) C wide[width];
    C low = MinReducer::init(), high = MaxReducer::init(), block_low, block_high;
    for (int64_t i = begin; i < end; i += fold_block) {
      const int64_t n = std::min(fold_block, end - i);
      const void* block = data + i;
      if constexpr (width > 1) {
        detail::to_float_from(self.dtype())(wide, sizeof(float), block, sizeof(T), n);
        block = wide;
      }
      least_of(static_cast<const char*>(block), 0, 1, n, &block_low, MinReducer());
      most_of(static_cast<const char*>(block), 0, 1, n, &block_high, MaxReducer());
      low = MinReducer::choose_extreme(low, block_low), high = MaxReducer::choose_extreme(high, block_high);
    }
    least[begin / chunks.size] = low, most[begin / chunks.size] = high;
  });
  for (int64_t c = 1; c < chunks.count; ++c)
    least[0] = MinReducer::choose_extreme(least[0], least[c]), most[0] = MaxReducer::choose_extreme(most[0], most[c]);
  *static_cast<T*>(min.data()) = T(least[0]), *static_cast<T*>(max.data()) = T(most[0]);
}

// The gradient of one of the results, shared by all elements that equal it.
Tensor share_gradient_among_ties(const Tensor& g, const Tensor& x, const Tensor& y, Dim dim, bool keepdim) {
  if (!g.defined()) return g;
  const Dims dims = dim ? Dims{*dim} : Dims();
  return extreme_gradient(restore_dims(g, dims, keepdim, x.dim()), x, restore_dims(y, dims, keepdim, x.dim()), dims);
}

MT_OP(OpDef{
    .schema = {"aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)"},
    .forms = function | method | out,
    .doc = R"(Computes the smallest and the largest element, of all or of each line along `dim`.

NaN wins both. Elements that share an extreme share its gradient evenly.

Args:
    self (Tensor): any shape; not complex.
    dim (int, optional): the dimension to reduce. Default: all.

Returns:
    tuple of Tensor: ``min`` and ``max``, in the dtype of `self`.

Raises:
    RuntimeError: when there are no elements to reduce (IndexError with `dim`).

Example:
    >>> low, high = torch.aminmax(torch.tensor([[1.0, 5.0], [4.0, 2.0]]), dim=0)
    >>> low, high
    (tensor([1., 2.]), tensor([4., 5.])))",
    .rule = structured_exact([](Specs& out, const Tensor& self, Dim dim, bool keepdim) {
      const uint64_t mask = mask_of_reduced_dims(self.dim(), dim);
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
          if (!dim && self.is_contiguous())
            return visit_ordered(self, "aminmax_cpu", [&]<class T>(Type<T>) { compute_extremes_of_all<T>(self, min, max); });
          const uint64_t mask = mask_of_reduced_dims(self.dim(), dim);
          reduce_extreme<false>(self, mask, min, "aminmax_cpu");
          reduce_extreme<true>(self, mask, max, "aminmax_cpu");
        },
    .npu = {"Aminmax(self, [dim], keepdim)"},
    .grad = {wrt("self",
                 [](GradOf<0> g_min, GradOf<1> g_max, In<"self"> x, Out<"min"> min, Out<"max"> max, In<"dim", Dim> dim,
                    In<"keepdim", bool> keepdim) {
                   Tensor a = share_gradient_among_ties(g_min, x, min, *dim, *keepdim),
                          b = share_gradient_among_ties(g_max, x, max, *dim, *keepdim);
                   return !a.defined() ? b : b.defined() ? a + b : a;
                 })},
});

}  // namespace
}  // namespace mt
