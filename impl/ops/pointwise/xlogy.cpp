// xlogy: self * log(other), 0 where self is 0.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto xlogy_of = [](auto x, auto y)
                              __attribute__((always_inline)) { return select_(isnan_(y), y, select_(x == 0, x * 0, x * log_(y))); };

MT_OP(OpDef{
    .schema = {"xlogy.Tensor(Tensor self, Tensor other) -> Tensor", "xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor",
               "xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .form_overloads = {{"Scalar_Other_out", "OutScalar_Other"}, {"Scalar_Self_out", "OutScalar_Self"}, {"out", "OutTensor"}},
    .doc = R"(Computes `self` * log(`other`), element by element, and 0 where `self` is 0.

NaN in `other` gives NaN, whatever `self` is. The tensors broadcast and their dtypes are
promoted. Integers are converted to the default float dtype. The gradients are log(`other`), 0
where `self` is 0 and `other` <= 0, and `self` / `other`.

Args:
    self (Tensor or number): the factor; one of the two is a tensor; not complex.
    other (Tensor or number): what the logarithm is taken of.

Returns:
    Tensor: the broadcast shape, in the promoted floating dtype.

Example:
    >>> torch.xlogy(torch.tensor([0.0, 0.0, 2.0]), torch.tensor([0.0, float("nan"), 3.0]))
    tensor([0.0000,    nan, 2.1972]))",
    .aliases = "special_xlogy",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = elementwise<xlogy_of, 2, dtypes::floating>("xlogy_cpu"),
    .npu = {"XLogYTensor"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"other"> y) {
                   return op<"masked_fill">(g * op<"log">(y), op<"logical_and">(op<"eq">(x, 0), op<"le">(y, 0)), 0);
                 }),
             wrt("other", [](Grad g, In<"self"> x, In<"other"> y) { return g * (x / y); })},
    .overloads = {overload("Scalar_Self", {.npu = {"XLogYScalarSelf"},
                                           .grad = {wrt("other", [](Grad g, In<"self"> x, In<"other"> y) { return g * (x / y); })},
                                           .grad_name = "XlogyBackward1"}),
                  overload("Scalar_Other", {.npu = {"XLogYScalarOther"},
                                            .grad = {wrt("self",
                                                         [](Grad g, In<"self"> x, In<"other"> y) {
                                                           return op<"masked_fill">(g * op<"log">(y),
                                                                                    op<"logical_and">(op<"eq">(x, 0), op<"le">(y, 0)), 0);
                                                         })},
                                            .grad_name = "XlogyBackward2"})},
});

}  // namespace
}  // namespace mt
