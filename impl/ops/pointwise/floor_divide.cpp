// floor_divide, remainder, fmod: integer parts and remainders of quotients.
#include "rules/division.h"

namespace mt {
namespace {

constexpr auto floored = [](auto a, auto b) { return divide_floor(a, b); };
constexpr auto modulo = [](auto a, auto b) { return remainder_floor(a, b); };
constexpr auto c_remainder = [](auto a, auto b) {
  using T = decltype(a);
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return T(0);
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return T(0);
    return T(a % b);
  } else {
    return std::fmod(a, b);
  }
};
template <auto F>
const PointwiseKernel* checked(const Call& c, const char* name) {
  const Tensor operands[] = {detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1])};
  check_integer_divisor(operands, 2);
  return kernel_of<F, 2, dtypes::real>(name);
}

MT_OP(OpDef{
    .schema = {"floor_divide(Tensor self, Tensor other) -> Tensor", "floor_divide.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` / `other`, rounded down.",
    .aliases = "__floordiv__",
    .inplace_aliases = "__ifloordiv__",
    .traits = MT_OP_NUMBERS_AS_TENSORS,
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose([](const Call& c) { return checked<floored>(c, "div_floor_cpu"); }),
    .grad = not_differentiable,
    .overloads = {overload("Scalar", {.forms = function | method | inplace})},
});
MT_OP(OpDef{
    .schema = {"remainder.Tensor(Tensor self, Tensor other) -> Tensor", "remainder.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The remainder with the sign of `other`, as Python's %.",
    .aliases = "__mod__",
    .inplace_aliases = "__imod__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose([](const Call& c) { return checked<modulo>(c, "remainder_cpu"); }),
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
    .cpu = choose([](const Call& c) { return checked<modulo>(c, "remainder_cpu"); }),
    .grad = {wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return -g * op<"div.Tensor_mode">(a, b, "floor"); })},
    .grad_name = "RemainderBackward1",
});
MT_OP(OpDef{
    .schema = {"fmod.Tensor(Tensor self, Tensor other) -> Tensor", "fmod.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The remainder with the sign of `self`, as C's fmod.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose([](const Call& c) { return checked<c_remainder>(c, "fmod_cpu"); }),
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return -g * op<"div.Tensor_mode">(a, b, "trunc"); })},
    .grad_name = "FmodBackward1",
    .overloads = {overload("Scalar", {.grad = {wrt("self", [](Grad g) { return Tensor(g); })}, .grad_name = "FmodBackward0"})},
});

}  // namespace
}  // namespace mt
