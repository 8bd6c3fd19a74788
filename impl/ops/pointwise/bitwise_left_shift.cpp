// bitwise_left_shift: `self` shifted left by `other` bits.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto left_shift_of = [](auto a, auto b) {
  using T = decltype(a);
  using U = std::make_unsigned_t<T>;
  if constexpr (sizeof(T) == 1) {  // by additions: x86 has no vector shift for bytes
    const auto twice = [](U x) { return U(x + x); };
    U x = U(a);
    x = b & 1 ? twice(x) : x;
    x = b & 2 ? twice(twice(x)) : x;
    x = b & 4 ? twice(twice(twice(twice(x)))) : x;
    return U(b) >= 8 ? T(0) : T(x);
  }
  return U(b) >= sizeof(T) * 8 ? T(0) : T(U(a) << (b & T(sizeof(T) * 8 - 1)));  // negative shifts are large when unsigned
};

MT_OP(OpDef{
    .schema = {"bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor",
               "bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Shifts the bits of `self` to the left by `other`, which multiplies by 2 ** `other`.

Bits that leave the dtype are lost. A shift by a negative number, or by at least the number of
bits of the dtype, gives 0. The tensors broadcast and their dtypes are promoted. Integers only.

Args:
    self (Tensor or number): the integers to shift; one of the two is a tensor.
    other (Tensor or number): how many bits.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.bitwise_left_shift(torch.tensor([1, -3]), torch.tensor([4, 1]))
    tensor([16, -6]))",
    .aliases = "__lshift__",
    .inplace_aliases = "__ilshift__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<left_shift_of, 2, dtypes::integral>("lshift_cpu"),
    .npu = {"LeftShift", "LeftShifts"},
});
MT_OP(OpDef{
    .schema = {"bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function,
    .doc = R"(Shifts the bits of `self` to the left by `other`, which multiplies by 2 ** `other`.

Bits that leave the dtype are lost. A shift by a negative number, or by at least the number of
bits of the dtype, gives 0. The tensors broadcast and their dtypes are promoted. Integers only.

Args:
    self (Tensor or number): the integers to shift; one of the two is a tensor.
    other (Tensor or number): how many bits.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.bitwise_left_shift(torch.tensor([1, -3]), torch.tensor([4, 1]))
    tensor([16, -6]))",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<left_shift_of, 2, dtypes::integral>("lshift_cpu"),
});

}  // namespace
}  // namespace mt
