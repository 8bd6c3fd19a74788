// bitwise_right_shift: `self` shifted right by `other` bits, keeping the sign.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto right_shift_of = [](auto a, auto b) {
  using T = decltype(a);
  const int most = int(sizeof(T)) * 8 - (std::is_signed_v<T> ? 1 : 0);
  if (b < 0 || uint64_t(b) >= uint64_t(most)) return std::is_signed_v<T> ? T(a >> (sizeof(T) * 8 - 1)) : T(0);
  return T(a >> b);
};

MT_OP(OpDef{
    .schema = {"bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor",
               "bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Shifts the bits of `self` to the right by `other`, keeping the sign.

That divides by 2 ** `other`, rounded down. A shift by a negative number, or by at least the
number of bits of the dtype, gives 0, and -1 for a negative `self`. The tensors broadcast and
their dtypes are promoted. Integers only.

Args:
    self (Tensor or number): the integers to shift; one of the two is a tensor.
    other (Tensor or number): how many bits.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.bitwise_right_shift(torch.tensor([16, -5]), torch.tensor([2, 1]))
    tensor([ 4, -3]))",
    .aliases = "__rshift__",
    .inplace_aliases = "__irshift__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<right_shift_of, 2, dtypes::integral>("rshift_cpu"),
});
MT_OP(OpDef{
    .schema = {"bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function,
    .doc = R"(Shifts the bits of `self` to the right by `other`, keeping the sign.

That divides by 2 ** `other`, rounded down. A shift by a negative number, or by at least the
number of bits of the dtype, gives 0, and -1 for a negative `self`. The tensors broadcast and
their dtypes are promoted. Integers only.

Args:
    self (Tensor or number): the integers to shift; one of the two is a tensor.
    other (Tensor or number): how many bits.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.bitwise_right_shift(torch.tensor([16, -5]), torch.tensor([2, 1]))
    tensor([ 4, -3]))",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<right_shift_of, 2, dtypes::integral>("rshift_cpu"),
});

}  // namespace
}  // namespace mt
