// copysign: the magnitude of `self` with the sign of `other`.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/half_bits.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto copysign_of = [](auto x, auto s) { return std::copysign(x, s); };
constexpr auto set_sign_bit = [](uint16_t x, uint16_t s) { return uint16_t((x & ~half_sign) | (s & half_sign)); };

MT_OP(OpDef{
    .schema = {"copysign.Tensor(Tensor self, Tensor other) -> Tensor", "copysign.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Gives each element of `self` the sign of `other`: |`self`| with the sign bit of `other`.

The sign bits of -0.0 and of NaN count as well. The tensors broadcast and their dtypes are
promoted. Integers are converted to the default float dtype. The gradient for `self` is
copysign(1, `other`) * sign(`self`), 0 where `self` is 0; that for `other` is 0.

Args:
    self (Tensor): the magnitudes; not complex.
    other (Tensor or number): the signs; not complex.

Returns:
    Tensor: the broadcast shape, in the promoted floating dtype.

Example:
    >>> torch.copysign(torch.tensor([1.0, -2.0, 3.0]), torch.tensor([-1.0, 1.0, -0.0]))
    tensor([-1.,  2., -3.]))",
    .rule = rule_after_meta_check(refuse_divisor_elsewhere, pointwise({Promotion::to_float, true})),
    .cpu = with_half_bits<set_sign_bit, 2>(elementwise<copysign_of, 2, dtypes::floating>("copysign_cpu")),
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return g * op<"masked_fill">(y / x, op<"eq">(x, 0), 0); }),
             wrt("other", [](Grad g) { return op<"zeros_like">(g); })},
    .overloads = {overload("Scalar",
                           {.grad = {wrt("self", [](Grad g, In<"self"> x,
                                                    Out<"result"> y) { return g * op<"masked_fill">(y / x, op<"eq">(x, 0), 0); })},
                            .grad_name = "CopysignBackward1"})},
});

}  // namespace
}  // namespace mt
