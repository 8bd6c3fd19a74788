// fill_: sets every element to `value`.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/sparse/sparse.h"
#include "vmap/rule.h"

namespace mt {
namespace {

void batch_fill(const BatchCall& c) {
  check_written_is_batched(c, 0, "fill_");
  op<"copy_">(c.front(0), c.padded(c.tensor(1), c.tensor(0).dim()));
  c.set_result_to_self();
}

MT_OP(OpDef{
    .schema = {"fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)", "fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)"},
    .forms = method | function,
    .doc = R"(Sets every element to `value`, in place.

Args:
    self (Tensor): tensor to write to.
    value (number or Tensor): the value; a tensor must have no dimensions.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `value` has dimensions or does not fit the dtype.

Example:
    >>> torch.zeros(2).fill_(3)
    tensor([3., 3.]))",
    .cpu =
        [](const Tensor& self, Scalar value) {
          value.check_fits(self.dtype());
          fill_with(self, value);
        },
    .npu = {any_device},
    .meta = [](const Tensor&, const Value&) {},
    .compressed = [](const Tensor& self, const Scalar& value) -> Tensor {
      BelowAutograd guard;
      op<"fill_">(components_of(self).values, value);
      return self;
    },
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
    .grad_name = "FillBackward2",
    .batch = batch_aligned,
    .overloads = {overload("Tensor", {.cpu =
                                          [](const Tensor& self, const Tensor& value) {
                                            check(value.dim() == 0, messages::fill_value_must_be_scalar, value.dim());
                                            check_no_internal_overlap(self);
                                            // A number in host memory is read here and passed to the device's fill, without a copy of the
                                            // tensor.
                                            if (value.device().is_cpu() && !self.device().is_cpu())
                                              fill_with(self, Scalar::load(value.dtype(), value.data()));
                                            else
                                              copy_into(self, value);
                                          },
                                      .npu = {any_device},
                                      .meta = [](const Tensor&, const Value&) {},
                                      .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); }),
                                               wrt("value", [](Grad g) { return op<"sum">(g); })},
                                      .grad_name = "FillBackward3",
                                      .batch = batch_fill})},
});

}  // namespace
}  // namespace mt
