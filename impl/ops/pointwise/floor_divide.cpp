// floor_divide, remainder, fmod: integer parts and remainders of quotients.
#include "rules/checked.h"
#include "rules/division.h"
#include "rules/sparse_pointwise.h"

namespace mt {
namespace {

template <auto K>
const PointwiseKernel* checked(const Call& c) {
  const Tensor operands[] = {detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1])};
  check_integer_divisor(c, operands);
  if constexpr (requires { K(operands); })
    return K(operands);
  else
    return K();
}

// A divisor may follow the dividend to the meta device.
void refuse_divisor(const Call& call) {
  if (!Unbox<Tensor>::from(call.args[0]).is_meta()) refuse_divisor_elsewhere(call);
}

MT_OP(OpDef{
    .schema = {"floor_divide(Tensor self, Tensor other) -> Tensor", "floor_divide.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` / `other`, rounded down.",
    .aliases = "__floordiv__",
    .inplace_aliases = "__ifloordiv__",
    .traits = MT_OP_NUMBERS_AS_TENSORS,
    .rule = on_meta_after(refuse_divisor, pointwise(scaling)),
    .cpu = choose(checked<floor_division_kernel>),
    .npu = {"FloorDivide", "FloorDivides"},
    .sparse = [](const Call& c) -> Tensor {
      return sparse_quotient(c, "floor division", /*rounded=*/true, [](const Call&, const Tensor& values, const Tensor& divisor) {
        return op<"floor_divide">(values, divisor);
      });
    },
    .overloads = {overload("Scalar", {.forms = function | method | inplace})},
});
MT_OP(OpDef{
    .schema = {"remainder.Tensor(Tensor self, Tensor other) -> Tensor", "remainder.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The remainder with the sign of `other`, as Python's %.",
    .aliases = "__mod__",
    .inplace_aliases = "__imod__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(checked<remainder_kernel>),
    .npu = {"RemainderTensorTensor", "RemainderTensorScalar"},
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return -g * op<"div.Tensor_mode">(a, b, "floor"); })},
    .grad_name = "RemainderBackward1",
    .overloads = {overload("Scalar", {.grad = {wrt("self", [](Grad g) { return Tensor(g); })}, .grad_name = "RemainderBackward0"})},
});
MT_OP(OpDef{
    .schema = {"remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function,
    .doc = "The remainder with the sign of `other`, as Python's %.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(checked<remainder_kernel>),
    .grad = {wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return -g * op<"div.Tensor_mode">(a, b, "floor"); })},
    .grad_name = "RemainderBackward1",
});
MT_OP(OpDef{
    .schema = {"fmod.Tensor(Tensor self, Tensor other) -> Tensor", "fmod.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The remainder with the sign of `self`, as C's fmod.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(checked<fmod_kernel>),
    .npu = {"FmodTensor", "FmodScalar"},
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return -g * op<"div.Tensor_mode">(a, b, "trunc"); })},
    .grad_name = "FmodBackward1",
    .overloads = {overload("Scalar", {.grad = {wrt("self", [](Grad g) { return Tensor(g); })}, .grad_name = "FmodBackward0"})},
});

}  // namespace
}  // namespace mt
