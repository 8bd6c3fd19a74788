// reshape: a view where one exists, otherwise a copy, in another shape.
#include "core/sparse.h"
#include "rules/algebra.h"
#include "rules/sparse.h"

namespace mt {
namespace {

constexpr auto reshaped = [](const Tensor& self, IntList shape) -> Tensor {
  if (is_compressed(self.layout())) fail_for_contiguity(self);
  check(!is_sparse(self), "reshape is not implemented for sparse tensors");
  Dims sizes = infer_size(shape, self.numel());
  if (self.is_contiguous()) return op<"view">(self, shape);
  if (const auto strides = view_strides(self.sizes(), self.strides(), sizes)) return op<"_reshape_alias">(self, sizes, *strides);
  return op<"_unsafe_view">(op<"clone">(self, MemoryFormat::contiguous), sizes);
};

MT_OP(OpDef{
    .schema = {"reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)"},
    .forms = function | method,
    .doc = "The same elements in another shape: a view if the memory allows it, otherwise a copy.",
    .composite = reshaped,
});

}  // namespace
}  // namespace mt
