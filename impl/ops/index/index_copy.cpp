// index_copy: slices replaced at the places of an index vector.
#include "rules/checked.h"
#include "rules/indexing.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` with the slices at the indices replaced by those of `source`.",
    .rule = after(refuse_index_mixtures<"index_copy">),
    .cpu = [](const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) -> Tensor {
      const int64_t d = wrap_dim(dim, self.dim());
      check(index.dim() < 2, ErrorKind::index, "index_copy_(): Index should have dimension 1 or 0 (got {})", index.dim());
      check(!source.dim() || !self.dim() || source.dim() == self.dim(), ErrorKind::index,
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source dimensionality ({}), destination "
            "dimensionality ({})",
            source.dim(), self.dim());
      check(index.dtype() == Dtype::int64, "index_copy_(): Expected a long tensor for index, but got {}", index.dtype());
      check(self.dtype() == source.dtype(), "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}", self.dtype(), source.dtype());
      check(source.dim() != 0 || index.numel() == 1, ErrorKind::index, "index_copy_(): When source is scalar, index should have one element (got {})",
            index.numel());
      check(source.dim() == 0 || index.numel() == source.size(d), ErrorKind::index,
            "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({})", index.numel(), source.dim() ? source.size(d) : 1);
      Tensor out = empty(self.sizes(), self.dtype());
      copy_into(out, self);
      const auto at = index_positions(index, self.dim() ? self.size(d) : 1, d, "index_copy_(): index {0} is out of bounds for dimension {2} with size {1}");
      for (int64_t i = 0; i < at.size(); ++i) copy_into(slice_at(out, d, at[i]), slice_at(source, d, i));
      return out;
    },
    .npu = {"IndexCopy"},
    .meta = [](const Tensor& self, int64_t, const Tensor&, const Tensor&) -> Tensor { return empty(self.sizes(), self.dtype(), self.device()); },
    .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim, In<"index"> index) { return op<"index_fill">(g, *dim, index, 0); }),
             wrt("source", [](Grad g, In<"dim", int64_t> dim, In<"index"> index, MetaOf<"source"> source) {
               return op<"expand">(op<"index_select">(g, *dim, index), source.sizes);
             })},
});

MT_BATCH("index_copy", batch_looped);

}  // namespace
}  // namespace mt
