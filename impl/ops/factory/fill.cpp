// fill: a tensor like another, all elements set to one value.
#include "core/messages.h"
#include "rules/factory/factory.h"

namespace mt {
namespace {

constexpr auto fill_with_number = [](const Tensor& self, Scalar value) -> Tensor {
  value.check_fits(self.dtype());
  Tensor out = empty_as(self, self.dtype(), self.device(), MemoryFormat::preserve);
  fill_with(out, value);
  return out;
};
constexpr auto fill_with_tensor = [](const Tensor& self, const Tensor& value) -> Tensor {
  check(value.dim() == 0, messages::fill_value_must_be_scalar, value.dim());
  Tensor out = empty_as(self, self.dtype(), self.device(), MemoryFormat::preserve);
  if (out.is_meta()) return out;
  if (value.device().is_cpu() && !out.device().is_cpu())
    fill_with(out, Scalar::load(value.dtype(), value.data()));
  else
    copy_into(out, value);
  return out;
};

MT_OP(OpDef{
    .schema = {"fill.Tensor(Tensor self, Tensor value) -> Tensor", "fill.Scalar(Tensor self, Scalar value) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor like `self` with every element set to `value`.

The gradient of `self` is zero, that of a tensor `value` is the sum of the incoming one.

Args:
    self (Tensor): tensor whose shape and dtype are taken.
    value (number or Tensor): the value; a tensor must have no dimensions.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when `value` has dimensions or does not fit the dtype.

Example:
    >>> torch.fill(torch.zeros(2), 3)
    tensor([3., 3.]))",
    .cpu = fill_with_number,
    .npu = {any_device},
    .meta = fill_with_number,
    .compressed = [](const Tensor& self, const Scalar& value) -> Tensor { return op<"fill_">(op<"clone">(self), value); },
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
    .overloads = {overload("Tensor", {.cpu = fill_with_tensor,
                                      .npu = {any_device},
                                      .meta = fill_with_tensor,
                                      .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); }),
                                               wrt("value", [](Grad g) { return op<"sum">(g); })},
                                      .grad_name = "FillBackward1"})},
});

}  // namespace
}  // namespace mt
