// special_xlog1py: self * log1p(other), 0 where self is 0.
#include "rules/pointwise/scalar_math.h"
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto xlog1py_of = [](auto x, auto y) __attribute__((always_inline)) {
  using T = decltype(x);
  return select_(y != y, y, select_(x == 0, T(0), T(x * log1p_(y))));
};
Tensor gradient_of_self(const Tensor& g, const Tensor& x, const Tensor& y) {
  return op<"masked_fill">(g * op<"log1p">(y), op<"logical_and">(op<"eq">(x, 0), op<"le">(y, -1)), 0);
}
Tensor gradient_of_other(const Tensor& g, const Tensor& x, const Tensor& y) { return g * (x / (y + 1)); }

MT_OP(OpDef{
    .schema = {"special_xlog1py(Tensor self, Tensor other) -> Tensor", "special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor",
               "special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes `self` * log1p(`other`), element by element, and 0 where `self` is 0.

NaN in `other` gives NaN, whatever `self` is. The tensors broadcast and their dtypes are
promoted. Integers are converted to the default float dtype. The gradients are log1p(`other`), 0
where `self` is 0 and `other` <= -1, and `self` / (1 + `other`).

Args:
    self (Tensor or number): the factor; one of the two is a tensor; not complex.
    other (Tensor or number): what log1p is taken of.

Returns:
    Tensor: the broadcast shape, in the promoted floating dtype.

Example:
    >>> torch.special.xlog1py(torch.tensor([0.0, 2.0]), torch.tensor([-1.0, 3.0]))
    tensor([0.0000, 2.7726]))",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = elementwise<xlog1py_of, 2, dtypes::floating>("xlog1py_cpu").with_grain(2048),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"other"> y) { return gradient_of_self(g, x, y); }),
             wrt("other", [](Grad g, In<"self"> x, In<"other"> y) { return gradient_of_other(g, x, y); })},
    .grad_name = "SpecialXlog1PyBackward0",
    .overloads = {overload("self_scalar",
                           {.grad = {wrt("other", [](Grad g, In<"self"> x, In<"other"> y) { return gradient_of_other(g, x, y); })},
                            .grad_name = "SpecialXlog1PyBackward1"}),
                  overload("other_scalar",
                           {.grad = {wrt("self", [](Grad g, In<"self"> x, In<"other"> y) { return gradient_of_self(g, x, y); })},
                            .grad_name = "SpecialXlog1PyBackward2"})},
});

}  // namespace
}  // namespace mt
