// _masked_softmax: softmax over the elements that a mask keeps; with its backward.
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

// The mask in a shape that broadcasts to `self`, by its kind: 0 (L, L), 1 (B, L), 2 unchanged.
Tensor broadcast_mask(const Tensor& self, const Tensor& mask, std::optional<int64_t> kind) {
  check(mask.dtype() == Dtype::boolean, "Mask should be a boolean tensor");
  if (!kind) return mask;
  check(*kind >= 0 && *kind <= 2, "Mask Type should be 0 (src_mask) or 1 (src_key_padding_mask), or 2 (default_mask)");
  if (*kind == 2) return mask;
  check(self.dim() == 4, "expected 4-D scores, got {}-D tensor", self.dim());
  const int64_t length = self.size(-1);
  if (*kind == 0) {
    check(mask.dim() == 2 && mask.size(0) == self.size(2) && mask.size(1) == length, "For mask_type == 0 mask shape should be (L, L)");
    return mask;
  }
  check(mask.dim() == 2 && mask.size(0) == self.size(0) && mask.size(1) == length, "For mask_type == 1 mask shape should be (B, L)");
  return op<"view">(op<"contiguous">(mask), IntList{mask.size(0), 1, 1, length});
}

constexpr auto compute_masked_softmax = [](const Tensor& self, const Tensor& mask, std::optional<int64_t> dim,
                                           std::optional<int64_t> kind) -> Tensor {
  BelowAutograd guard;
  const Tensor scores = op<"masked_fill">(op<"contiguous">(self), broadcast_mask(self, mask, kind), -__builtin_inf());
  return op<"softmax">(scores, dim.value_or(self.dim() - 1));
};
constexpr auto compute_masked_softmax_backward = [](const Tensor& grad, const Tensor& output, const Tensor& mask,
                                                    std::optional<int64_t> dim) -> Tensor {
  BelowAutograd guard;
  check(grad.sizes() == mask.sizes(), "Mask shape should match grad shape");
  const int64_t d = dim.value_or(output.dim() - 1);
  const Tensor g = op<"masked_fill">(grad, mask, 0);
  return output * (g - op<"sum.dim_IntList">(g * output, IntList{d}, true));
};

MT_OP(OpDef{
    .schema = {"_masked_softmax(Tensor self, Tensor mask, int? dim=None, int? mask_type=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes softmax with probability 0 where the mask is ``True``.

A line whose mask is ``True`` everywhere is NaN. The fast path of transformer layers uses it.)",
    .cpu = compute_masked_softmax,
    .grad = {wrt("self",
                 [](Grad g, Out<"result"> y, In<"mask"> mask, In<"dim", std::optional<int64_t>> dim) {
                   return op<"_masked_softmax_backward">(g, y, op<"expand">(mask, y.sizes()), *dim);
                 }),
             wrt("mask", [](Grad) { return Tensor(); })},
});
MT_OP(OpDef{
    .schema = {"_masked_softmax_backward(Tensor grad_output, Tensor output, Tensor mask, int? dim=None) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``_masked_softmax``.",
    .cpu = compute_masked_softmax_backward,
});

}  // namespace
}  // namespace mt
