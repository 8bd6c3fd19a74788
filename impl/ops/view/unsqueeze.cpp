// unsqueeze: a dimension of size 1 inserted.
#include "rules/algebra.h"
#include "rules/sparse_shape.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto inserted = [](const Tensor& self, int64_t dim) -> Tensor {
  int64_t d = wrap_dim(dim, self.dim() + 1);
  Dims sizes(self.sizes()), strides(self.strides());
  int64_t stride = d >= self.dim() ? 1 : self.size(d) * self.stride(d);
  sizes.insert(d, 1);
  strides.insert(d, stride);
  return alias(self, sizes, strides, self.storage_offset());
};

MT_OP(OpDef{
    .schema = {"unsqueeze(Tensor(a) self, int dim) -> Tensor(a)"},
    .forms = function | method | inplace,
    .doc = "A view with a dimension of size 1 inserted at `dim`.",
    .view = inserted,
    .sparse = [](const Call& call, const Tensor& self, int64_t dim) -> Tensor {
      if (call.op.form == Form::inplace) refuse_sparse("as_strided_");
      return sparse_unsqueeze(self, dim);
    },
    .grad = {wrt("self", [](Grad g, In<"dim", int64_t> dim) { return op<"squeeze.dim">(g, *dim); })},
});

MT_BATCH("unsqueeze", batch_new_dim);

}  // namespace
}  // namespace mt
