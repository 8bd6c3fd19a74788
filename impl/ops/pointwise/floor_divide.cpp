// floor_divide, remainder, fmod: integer parts and remainders of quotients.
#include "rules/form/checked.h"
#include "rules/pointwise/division.h"
#include "rules/sparse/sparse_pointwise.h"

namespace mt {
namespace {

template <auto K>
const PointwiseKernel* check_divisor_and_choose(const Call& c) {
  const Tensor operands[] = {detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1])};
  check_integer_divisor(c, operands);
  if constexpr (requires { K(operands); })
    return K(operands);
  else
    return K();
}

// A CPU divisor may be combined with a meta dividend.
void refuse_divisor_on_other_device(const Call& call) {
  if (!Unbox<Tensor>::from(call.args[0]).is_meta()) refuse_divisor_elsewhere(call);
}

MT_OP(OpDef{
    .schema = {"floor_divide(Tensor self, Tensor other) -> Tensor", "floor_divide.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"", "Tensor"}},
    .doc = R"(Computes `self` / `other` rounded down, element by element.

Integers stay integers, and their division by zero raises; floats follow IEEE 754. The tensors
broadcast and their dtypes are promoted. There is no derivative.

Args:
    self (Tensor): the dividend; not complex.
    other (Tensor or number): the divisor.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    RuntimeError: when integers are divided by zero.

Example:
    >>> torch.floor_divide(torch.tensor([7, -7]), 2)
    tensor([ 3, -4])
    >>> torch.floor_divide(torch.tensor([7.0, -7.0]), 2.5)
    tensor([ 2., -3.]))",
    .aliases = "__floordiv__",
    .inplace_aliases = "__ifloordiv__",
    .traits = MT_OP_NUMBERS_AS_TENSORS,
    .rule = rule_after_meta_check(refuse_divisor_on_other_device, pointwise(scaling)),
    .cpu = choose(check_divisor_and_choose<floor_division_kernel>),
    .npu = {"FloorDivide", "FloorDivides"},
    .sparse = [](const Call& c) -> Tensor {
      return sparse_quotient(c, "floor division", /*rounded=*/true,
                             [](const Call&, const Tensor& values, const Tensor& divisor) { return op<"floor_divide">(values, divisor); });
    },
    .overloads = {overload("Scalar", {.forms = function | method | inplace})},
});
MT_OP(OpDef{
    .schema = {"remainder.Tensor(Tensor self, Tensor other) -> Tensor", "remainder.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Computes the remainder of `self` / `other` with the sign of `other`, as Python's % does.

The result is `self` - `other` * floor(`self` / `other`). Floats divided by zero give NaN,
integers raise. The tensors broadcast and their dtypes are promoted. The gradients are 1 for
`self` and -floor(`self` / `other`) for `other`. For the sign of `self` see `torch.fmod`.

Args:
    self (Tensor or number): the dividend; one of the two is a tensor; not complex.
    other (Tensor or number): the divisor.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    RuntimeError: when integers are divided by zero.

Example:
    >>> torch.remainder(torch.tensor([5, -5]), 3)
    tensor([2, 1])
    >>> torch.remainder(torch.tensor([5.5, -5.5]), -2)
    tensor([-0.5000, -1.5000]))",
    .aliases = "__mod__",
    .inplace_aliases = "__imod__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(check_divisor_and_choose<remainder_kernel>),
    .npu = {"RemainderTensorTensor", "RemainderTensorScalar"},
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return -g * op<"div.Tensor_mode">(a, b, "floor"); })},
    .grad_name = "RemainderBackward1",
    .overloads = {overload("Scalar", {.grad = {wrt("self", [](Grad g) { return Tensor(g); })}, .grad_name = "RemainderBackward0"})},
});
MT_OP(OpDef{
    .schema = {"remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the remainder of `self` / `other` with the sign of `other`, as Python's % does.

The result is `self` - `other` * floor(`self` / `other`). Floats divided by zero give NaN,
integers raise. The tensors broadcast and their dtypes are promoted. The gradients are 1 for
`self` and -floor(`self` / `other`) for `other`. For the sign of `self` see `torch.fmod`.

Args:
    self (Tensor or number): the dividend; one of the two is a tensor; not complex.
    other (Tensor or number): the divisor.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    RuntimeError: when integers are divided by zero.

Example:
    >>> torch.remainder(torch.tensor([5, -5]), 3)
    tensor([2, 1])
    >>> torch.remainder(torch.tensor([5.5, -5.5]), -2)
    tensor([-0.5000, -1.5000]))",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(check_divisor_and_choose<remainder_kernel>),
    .grad = {wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return -g * op<"div.Tensor_mode">(a, b, "floor"); })},
    .grad_name = "RemainderBackward1",
});
MT_OP(OpDef{
    .schema = {"fmod.Tensor(Tensor self, Tensor other) -> Tensor", "fmod.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Computes the remainder of `self` / `other` with the sign of `self`, as C's fmod does.

The result is `self` - `other` * trunc(`self` / `other`), without rounding. Floats divided by
zero give NaN, integers raise. The tensors broadcast and their dtypes are promoted. The gradients
are 1 for `self` and -trunc(`self` / `other`) for `other`. For the sign of `other` see
`torch.remainder`.

Args:
    self (Tensor): the dividend; not complex.
    other (Tensor or number): the divisor.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    RuntimeError: when integers are divided by zero.

Example:
    >>> torch.fmod(torch.tensor([5, -5]), 3)
    tensor([ 2, -2]))",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(check_divisor_and_choose<fmod_kernel>),
    .npu = {"FmodTensor", "FmodScalar"},
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return -g * op<"div.Tensor_mode">(a, b, "trunc"); })},
    .grad_name = "FmodBackward1",
    .overloads = {overload("Scalar", {.grad = {wrt("self", [](Grad g) { return Tensor(g); })}, .grad_name = "FmodBackward0"})},
});

}  // namespace
}  // namespace mt
