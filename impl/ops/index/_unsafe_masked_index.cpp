// _unsafe_masked_index and its counterpart: picks (or adds) elements by indices where a mask is set; clamps invalid indices.
#include "core/messages.h"
#include "dispatch/tensor_args.h"
#include "rules/form/checked.h"
#include "rules/form/one_device.h"
#include "rules/index/indexing.h"

namespace mt {
namespace {

// Clamps every index tensor to its dimension: an index outside of it is masked out, or the caller's mistake.
std::vector<Tensor> clamp_indices(const Tensor& self, TensorList indices) {
  std::vector<Tensor> out(indices.begin(), indices.end());
  for (int64_t d = 0; d < indices.size(); ++d)
    if (indices[d].defined() && d < self.dim()) out[size_t(d)] = op<"clamp">(indices[d], -self.size(d), self.size(d) - 1);
  return out;
}

// Raises if a meta tensor takes part and argument number `Place` is not on the mask's device.
template <int Place>
void refuse_argument_off_mask_device(const Call& call) {
  if (call.keys & key_bit(Key::meta)) check_one_device(Unbox<Tensor>::from(call.args[1]), Unbox<Tensor>::from(call.args[Place]));
}

constexpr auto index_where_mask = [](const Tensor& self, const Tensor& mask, TensorList indices, Scalar fill) -> Tensor {
  BelowAutograd guard;
  check(!indices.empty(), ErrorKind::index, messages::needs_an_index);
  if (self.numel() == 0) {  // nothing to pick from
    const Tensor zeros = op<"zeros">(Dims(self.dim(), 1), self.dtype(), nullptr, self.device());
    return op<"full_like">(op<"index">(zeros, box_optional(clamp_indices(zeros, indices))), fill);
  }
  return op<"masked_fill">(op<"index">(self, box_optional(clamp_indices(self, indices))), op<"logical_not">(mask), fill);
};
constexpr auto add_masked_values = [](const Tensor& self, const Tensor& mask, TensorList indices, const Tensor& values) -> Tensor {
  BelowAutograd guard;
  if (self.numel() == 0) return op<"clone">(self);
  return op<"index_put">(self, box_optional(clamp_indices(self, indices)), op<"masked_fill">(values, op<"logical_not">(mask), 0), true);
};

MT_OP(OpDef{
    .schema = {"_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor"},
    .forms = function,
    .doc = R"(Returns ``self[indices]`` where `mask` is set and `fill` elsewhere.

Indices are clamped to the sizes instead of refused.)",
    .rule = rule_after_check(refuse_argument_off_mask_device<0>),
    .cpu = index_where_mask,
    .npu = {any_device},
    .meta = index_where_mask,
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"mask"> mask, In<"indices", TensorList> indices) {
                   return op<"_unsafe_masked_index_put_accumulate">(op<"new_zeros">(g, self.sizes), mask, box_optional(*indices), g);
                 })},
});
MT_OP(OpDef{
    .schema = {"_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a copy of `self` with `values` added at `indices` where `mask` is set.

Indices are clamped to the sizes. It is the gradient of ``_unsafe_masked_index``.)",
    .rule = rule_after_check(refuse_argument_off_mask_device<3>),
    .cpu = add_masked_values,
    .npu = {any_device},
    .meta = add_masked_values,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }), wrt("values",
                                                                [](Grad g, In<"mask"> mask, In<"indices", TensorList> indices) {
                                                                  return op<"_unsafe_masked_index">(g, mask, box_optional(*indices), 0);
                                                                })},
});

}  // namespace
}  // namespace mt
