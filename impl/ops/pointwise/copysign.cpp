// copysign: the magnitude of `self` with the sign of `other`.
#include "rules/algebra.h"
#include "rules/checked.h"
#include "rules/half_bits.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto with_sign = [](auto x, auto s) { return std::copysign(x, s); };
constexpr auto with_sign_bit = [](uint16_t x, uint16_t s) { return uint16_t((x & ~half_sign) | (s & half_sign)); };

MT_OP(OpDef{
    .schema = {"copysign.Tensor(Tensor self, Tensor other) -> Tensor", "copysign.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The magnitude of `self` with the sign of `other`.",
    .rule = on_meta_after(refuse_divisor_elsewhere, pointwise({Promotion::to_float, true})),
    .cpu = with_half_bits<with_sign_bit, 2>(elementwise<with_sign, 2, dtypes::floating>("copysign_cpu")),
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return g * op<"masked_fill">(y / x, op<"eq">(x, 0), 0); }),
             wrt("other", [](Grad g) { return op<"zeros_like">(g); })},
    .overloads = {overload("Scalar",
                           {.grad = {wrt("self", [](Grad g, In<"self"> x,
                                                    Out<"result"> y) { return g * op<"masked_fill">(y / x, op<"eq">(x, 0), 0); })},
                            .grad_name = "CopysignBackward1"})},
});

}  // namespace
}  // namespace mt
