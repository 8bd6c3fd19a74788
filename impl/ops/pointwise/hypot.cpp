// hypot: the length of a right triangle's hypotenuse.
#include "cpu/math/vecmath_more.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

// Forced inlining: GCC's flatten attribute does not inline a body of this size, and a loop with a call stays scalar.
constexpr auto hypot_of = [](auto a, auto b) __attribute__((always_inline)) { return cpu::vec::hypot(a, b); };

MT_OP(OpDef{
    .schema = {"hypot(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes sqrt(`self`^2 + `other`^2), element by element, without overflow on the way.

Infinite where either is infinite, even beside NaN. The tensors broadcast and their dtypes are
promoted. The gradients are `self` / result and `other` / result, NaN at the origin.

Args:
    self, other (Tensor): floating.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.hypot(torch.tensor([3.0, 3e30]), torch.tensor([4.0, 4e30]))
    tensor([5.0000e+00, 5.0000e+30]))",
    .rule = pointwise(promoting),
    .cpu = elementwise<hypot_of, 2, dtypes::floating>("hypot_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> a, Out<"result"> y) { return g * (a / y); }),
             wrt("other", [](Grad g, In<"other"> b, Out<"result"> y) { return g * (b / y); })},
});

}  // namespace
}  // namespace mt
