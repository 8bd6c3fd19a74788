// masked_fill: `self` with `value` where `mask` is true.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/form/overlap.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto check_mask = [](const char* name, const Tensor& mask) {
  check(mask.dtype() == Dtype::boolean, "{} only supports boolean masks, but got mask with dtype {}", name, ScalarName(mask.dtype()));
};

Tensor value_as_tensor(const Tensor& self, const Value& value) {
  if (value.tag == MT_TAG_TENSOR) {
    const Tensor& t = Unbox<Tensor>::from(value);
    check(t.dim() == 0, "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).", t.dim());
    if (is_complex(t.dtype()) && !is_complex(self.dtype())) Scalar(std::numeric_limits<double>::infinity()).check_fits(self.dtype());
    return t;
  }
  Scalar::of_value(value).check_fits(self.dtype());
  return scalar_tensor(Scalar::of_value(value), self.dtype(), self.device());
}

constexpr auto choose_by_mask = [](auto mask, auto x, auto v) { return mask != decltype(x)(0) ? v : x; };
const PointwiseKernel& masked_fill_kernel() {
  static const PointwiseKernel kernel = elementwise<choose_by_mask, 3, dtypes::all | dtypes::complex_half>("masked_fill");
  return kernel;
}

// In the in-place form torch checks the mask before anything else, and its message for shapes that do not broadcast starts with the sizes
// of `self`.
void check_fill(const Call& call) {
  const Tensor &self = Unbox<Tensor>::from(call.args[0]), &mask = Unbox<Tensor>::from(call.args[1]);
  if (call.op.form != Form::inplace) return refuse_meta_mixtures_by_second(call);
  check_mask("masked_fill_", mask);
  broadcast_shapes(self.sizes(), mask.sizes());
}

constexpr auto compute_masked_fill = [](const Tensor& self, const Tensor& mask, const Value& value) -> Tensor {
  const Dims sizes = broadcast_shapes(mask.sizes(), self.sizes());
  check_mask("masked_fill_", mask);
  const Tensor v = value_as_tensor(self, value);
  const Tensor inputs[] = {mask, self, v};
  Tensor out = empty(sizes, self.dtype(), self.device());
  if (out.is_meta()) return out;
  if (!out.device().is_cpu()) {
    BelowAutograd guard;
    return op<"where.self">(mask, op<"to.dtype">(v, self.dtype()), self);
  }
  run_pointwise(masked_fill_kernel(), self.dtype(), out, inputs, 3);
  return out;
};

// Removes expanded dimensions of `self`: elements that share memory are filled once, if the mask is true for any of them.
void fold_shared_elements(Tensor& self, Tensor& mask) {
  BelowAutograd guard;
  Dims sizes(self.sizes()), shared;
  for (int64_t d = 0; d < self.dim(); ++d)
    if (self.size(d) > 1 && self.stride(d) == 0) shared.push_back(d), sizes[d] = 1;
  mask = op<"any.dims">(op<"expand">(mask, self.sizes()), shared, true);
  self = alias(self, sizes, self.strides(), self.storage_offset());
}

void masked_fill_in_place(const Call& call, const void*) {
  Tensor self = Unbox<Tensor>::from(call.args[0]), mask = Unbox<Tensor>::from(call.args[1]);
  const Dims sizes = broadcast_shapes(mask.sizes(), self.sizes());
  const Tensor v = value_as_tensor(self, call.args[2]);
  warn_of_expanded(self, "masked_fill_", "tensor[mask] = scalar");
  check(IntList(sizes) == self.sizes(), messages::output_does_not_match_broadcast_shape, self.sizes(), sizes);
  put(call.rets[0], self);
  if (self.is_meta()) return;
  for (const Tensor& t : {mask, v}) check(!t.is_meta(), ErrorKind::not_implemented, messages::copy_out_of_meta_tensor);
  check_no_partial_overlap(self, mask);
  if (overlaps_itself(self)) fold_shared_elements(self, mask);
  const Tensor inputs[] = {mask, self, v};
  run_pointwise(masked_fill_kernel(), self.dtype(), self, inputs, 3);
}

MT_OP(OpDef{
    .schema = {"masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
               "masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor"},
    .forms = function | method | inplace,
    .doc = R"(Sets the elements of `self` to `value` where `mask` is true.

Outside of the in-place form, `self` and `mask` are broadcast against each other. The gradient of
`self` is zero under the mask; that of a tensor `value` is the sum there.

Args:
    self (Tensor): tensor to write to.
    mask (Tensor): bools; broadcastable with `self`.
    value (number or Tensor): the new value; a tensor must have no dimensions.

Returns:
    Tensor: a new tensor; the in-place form returns `self`.

Raises:
    RuntimeError: when `mask` is not bool, `value` has dimensions, or shapes do not broadcast.

Example:
    >>> x = torch.tensor([1.0, -2.0, 3.0])
    >>> x.masked_fill(x < 0, 0)
    tensor([1., 0., 3.]))",
    .rule = rule_after_check(check_fill, in_place_rule(masked_fill_in_place)),
    .cpu = compute_masked_fill,
    .npu = {any_device},
    .meta = compute_masked_fill,
    .grad = {wrt("self", [](Grad g, In<"mask"> mask) { return op<"masked_fill">(g, mask, 0); }),
             wrt("value", [](Grad g, In<"mask"> mask) { return op<"sum">(zero_where_false(mask, g)); })},
    .grad_name = "MaskedFillBackward1",
    .batch = batch_aligned,
    .overloads = {overload("Scalar", {.grad = {wrt("self", [](Grad g, In<"mask"> mask) { return op<"masked_fill">(g, mask, 0); })},
                                      .grad_name = "MaskedFillBackward0"})},
});

}  // namespace
}  // namespace mt
