// index_add: slices added at the places of an index vector.
#include <algorithm>

#include "rules/indexing.h"
#include "rules/rows.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto added = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) -> Tensor {
  const int64_t d = wrap_dim(dim, self.dim());
  check(index.dim() <= 1, ErrorKind::index, "index_add_(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {}", index.dim(), index.dtype(), index.sizes());
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, "index_add_(): Expected dtype int32/int64 for index but got: {}", index.dtype());
  check(self.dtype() == source.dtype(), "index_add_(): self ({}) and source ({}) must have the same scalar type", self.dtype(), source.dtype());
  check(source.dim() <= d ? index.numel() == 1 : index.numel() == source.size(d),
        "index_add_(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}", index.numel(), source.dim() > d ? source.size(d) : 1, d);
  check_same_slices(self, source, d);
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  alpha.check_fits(self.dtype());
  if (out.is_meta()) return out;
  copy_into(out, self);
  const auto at = index_positions(index, self.dim() ? self.size(d) : 1);
  dispatch_all(self.dtype(), "index_add_cpu_", [&]<class T>(Type<T>) {
    using C = ComputeType<T>;
    C scale;
    if constexpr (is_complex_type<T>) scale = T(alpha.to_complex());
    else if constexpr (std::is_integral_v<T>) scale = C(alpha.to_int());
    else scale = C(alpha.to_double());
    const Tensor from = dense(source);
    // Blocks of [outer, lines, inner]: each thread adds to elements of its own, in the order of the index.
    int64_t outer = 1, inner = 1;
    for (int64_t k = 0; k < d; ++k) outer *= self.size(k);
    for (int64_t k = d + 1; k < self.dim(); ++k) inner *= self.size(k);
    const int64_t lines = self.dim() ? self.size(d) : 1, n = int64_t(at.size()), pieces = outer > 1 ? 1 : std::clamp<int64_t>(inner / 64, 1, 16);
    cpu::parallel_for(0, outer * pieces, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, n * inner / pieces)), [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const int64_t block = p / pieces, first = p % pieces * inner / pieces, last = (p % pieces + 1) * inner / pieces;
        for (int64_t i = 0; i < n; ++i) {
          T* to = out.data<T>() + (block * lines + at[size_t(i)]) * inner;
          const T* add = from.data<T>() + (block * n + i) * inner;
          for (int64_t j = first; j < last; ++j) {
            if constexpr (std::is_same_v<T, bool>) to[j] = to[j] || (add[j] && scale);
            else to[j] = T(C(to[j]) + C(add[j]) * scale);
          }
        }
      }
    });
  });
  return out;
};
MT_OP(OpDef{
    .schema = {"index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with `alpha` times the slices of `source` added at the indices.",
    .cpu = added,
    .npu = {"IndexAdd"},
    .meta = added,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("source", [](Grad g, In<"dim", int64_t> dim, In<"index"> index, In<"alpha", Scalar> alpha, MetaOf<"source"> source) {
               return op<"expand">(op<"index_select">(g, *dim, index), source.sizes) * alpha.value;
             })},
});

MT_BATCH("index_add", batch_looped);

}  // namespace
}  // namespace mt
