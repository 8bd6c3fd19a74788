// index_add: slices added at the places of an index vector.
#include "rules/indexing.h"

namespace mt {
namespace {

constexpr auto added = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha) -> Tensor {
  const int64_t d = wrap_dim(dim, self.dim());
  check(index.dim() <= 1, ErrorKind::index, "index_add_(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {}", index.dim(), index.dtype(), index.sizes());
  check(index.dtype() == Dtype::int64 || index.dtype() == Dtype::int32, "index_add_(): Expected dtype int32/int64 for index but got: {}", index.dtype());
  check(self.dtype() == source.dtype(), "index_add_(): self ({}) and source ({}) must have the same scalar type", self.dtype(), source.dtype());
  check(source.dim() <= d ? index.numel() == 1 : index.numel() == source.size(d),
        "index_add_(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}", index.numel(), source.dim() > d ? source.size(d) : 1, d);
  Dims rest(self.sizes()), source_rest(source.sizes());
  if (self.dim() == source.dim() && self.dim() > 0) rest[d] = source_rest[d] = 1;
  check(rest == source_rest, "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {} source.shape = {}",
        self.sizes(), source.sizes());
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
    for (size_t i = 0; i < at.size(); ++i) {
      const Tensor to = slice_at(out, d, at[i]), from = slice_at(source, d, int64_t(i));
      cpu::Nest nest(to.sizes());
      nest.add(to.data(), to.itemsize(), to.strides());
      nest.add(from.data(), from.itemsize(), from.strides());
      nest.finish();
      nest.runs(0, nest.numel(), [&](char* const* data, const int64_t* strides, int64_t n) {
        for (int64_t k = 0; k < n; ++k) {
          T& target = *reinterpret_cast<T*>(data[0] + k * strides[0]);
          const T& add = *reinterpret_cast<const T*>(data[1] + k * strides[1]);
          if constexpr (std::is_same_v<T, bool>) target = target || (add && scale);
          else target = T(C(target) + C(add) * scale);
        }
      });
    }
  });
  return out;
};
MT_OP(OpDef{
    .schema = {"index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with `alpha` times the slices of `source` added at the indices.",
    .cpu = added,
    .meta = added,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("source", [](Grad g, In<"dim", int64_t> dim, In<"index"> index, In<"alpha", Scalar> alpha, MetaOf<"source"> source) {
               return op<"expand">(op<"index_select">(g, *dim, index), source.sizes) * alpha.value;
             })},
});

}  // namespace
}  // namespace mt
