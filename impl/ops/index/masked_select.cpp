// masked_select: the elements where `mask` is true, as a vector.
#include "core/dispatch_dtype.h"
#include "dispatch/out_words.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"masked_select(Tensor self, Tensor mask) -> Tensor"},
    .forms = function | method | out,
    .doc = "The elements where `mask` is true, as a vector.",
    .cpu = [](const Tensor& self, const Tensor& mask) -> Tensor {
      check(mask.dtype() == Dtype::boolean, "masked_select: expected BoolTensor for mask");
      Dims sizes = broadcast_shapes(mask.sizes(), self.sizes());
      if (!self.device().is_cpu()) {
        BelowAutograd guard;
        const Tensor spread[] = {op<"expand">(mask, sizes)};
        return op<"reshape">(op<"index.Tensor">(op<"expand">(self, sizes), list_value(MT_TAG_OPTIONAL_TENSORS, spread, 1)), IntList{-1});
      }
      Tensor x = empty(sizes, self.dtype()), m = empty(sizes, Dtype::boolean);
      copy_into(x, self);
      copy_into(m, mask);
      const bool* p = m.data<bool>();
      int64_t count = 0, at = 0;
      for (int64_t i = 0; i < m.numel(); ++i) count += p[i];
      Tensor out = empty({count}, self.dtype());
      dispatch_by_size(self.itemsize(), [&]<class T>(Type<T>) {
        for (int64_t i = 0; i < m.numel(); ++i)
          if (p[i]) out.data<T>()[at++] = x.data<T>()[i];
      });
      return out;
    },
    .npu = {any_device},
    .grad = {wrt("self", [](Grad g, In<"self"> self, In<"mask"> mask) {
      Dims sizes = broadcast_shapes(self.sizes(), mask.sizes());
      return op<"masked_scatter">(op<"zeros">(sizes, g.dtype(), nullptr, g.device()), mask, g);
    })},
});

[[noreturn]] void refused(const BatchCall&) {
  fail(
      "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for each batch this would return a "
      "differently shaped Tensor. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature.");
}
MT_BATCH("masked_select", refused);

MT_OUT("masked_select", .dtype = "masked_select(): self and result must have the same scalar type");

}  // namespace
}  // namespace mt
