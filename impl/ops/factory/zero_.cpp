// zero_ and zero: sets every element to zero.
#include "rules/factory/factory.h"
#include "rules/sparse/sparse.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto zero_sparse = [](const Tensor& self) -> Tensor {
  set_sparse(self, self.sizes(), components_of(make_empty_like(self, self.dtype(), self.device())));
  return self;
};

MT_OP(OpDef{
    .schema = {"zero_(Tensor(a!) self) -> Tensor(a!)"},
    .forms = method | function,
    .doc = R"(Sets every element to zero, in place; a sparse tensor then stores nothing.

Args:
    self (Tensor): tensor to write to.

Returns:
    Tensor: `self`.

Example:
    >>> torch.ones(2).zero_()
    tensor([0., 0.]))",
    .cpu = [](const Tensor& self) { fill_with(self, 0); },
    .npu = {any_device},
    .meta = [](const Tensor&) {},
    .sparse = zero_sparse,
    .compressed = zero_sparse,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
    .batch = batch_aligned,
});

constexpr auto make_zeros_like = [](const Tensor& self) -> Tensor {
  Tensor out = empty_as(self, self.dtype(), self.device(), MemoryFormat::preserve);
  fill_with(out, 0);
  return out;
};
MT_OP(OpDef{
    .schema = {"zero(Tensor self) -> Tensor"},
    .forms = internal,
    .doc = "Returns a tensor of zeros like `self`; what programs have that do without in-place writes.",
    .cpu = make_zeros_like,
    .npu = {any_device},
    .meta = make_zeros_like,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
    .batch = batch_aligned,
});

}  // namespace
}  // namespace mt
