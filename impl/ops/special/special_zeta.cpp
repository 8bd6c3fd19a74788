// special_zeta: Hurwitz's zeta function: the sum of (k + other)^-self over k >= 0.
#include "rules/special/gamma.h"
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto zeta_of = [](auto x, auto q) { return decltype(x)(hurwitz_zeta(x, q)); };
// The derivative with respect to the exponent has no closed form.
[[noreturn]] Tensor refuse_derivative() { fail(ErrorKind::not_implemented, "the derivative for 'zeta' is not implemented."); }
Tensor gradient_of_other(const Tensor& g, const Tensor& x, const Tensor& q) { return g * -x * op<"special_zeta">(x + 1, q); }

MT_OP(OpDef{
    .schema = {"special_zeta(Tensor self, Tensor other) -> Tensor", "special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor",
               "special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes Hurwitz's zeta function zeta(`self`, `other`), element by element.

That is the sum of (k + `other`)^-`self` over k = 0, 1, ... (DLMF 25.11.1). With `other` = 1 it
is Riemann's. `self` = 1 gives inf, below 1 NaN. `other` = 0 and negative integers give inf;
other negative numbers are possible with an integer `self` only, else NaN. The tensors broadcast
and their dtypes are promoted. float32 and float64 only; integers are converted to the default
float dtype. The gradient for `other` is -`self` * zeta(`self` + 1, `other`).

Args:
    self (Tensor or number): the exponent; one of the two is a tensor.
    other (Tensor or number): the offset.

Returns:
    Tensor: the broadcast shape; float32 or float64.

Raises:
    NotImplementedError: when a gradient for `self` is asked for.

Example:
    >>> torch.special.zeta(torch.tensor([2.0, 4.0, 1.0]), 1.0)
    tensor([1.6449, 1.0823,    inf]))",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = elementwise_by_vector_calls<zeta_of, 2>("zeta_cpu"),
    .grad = {wrt("self", [](Grad) { return refuse_derivative(); }),
             wrt("other", [](Grad g, In<"self"> x, In<"other"> y) { return gradient_of_other(g, x, y); })},
    .no_forward = true,
    .overloads = {overload("self_scalar",
                           {.grad = {wrt("other", [](Grad g, In<"self"> x, In<"other"> y) { return gradient_of_other(g, x, y); })},
                            .grad_name = "SpecialZetaBackward1"}),
                  overload("other_scalar",
                           {.grad = {wrt("self", [](Grad) { return refuse_derivative(); })}, .grad_name = "SpecialZetaBackward2"})},
});

}  // namespace
}  // namespace mt
