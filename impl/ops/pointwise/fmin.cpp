// fmin: the smaller of two elements, ignoring NaN.
#include "rules/algebra.h"
#include "rules/checked.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto fmin_of = [](auto a, auto b) { return isnan_(a) ? b : isnan_(b) ? a : (b < a ? b : a); };

MT_OP(OpDef{
    .schema = {"fmin(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "The smaller of two elements; the other where one is NaN.",
    .rule = after(refuse_complex<"fmin not implemented for complex tensors.">, pointwise(promoting)),
    .cpu = elementwise<fmin_of, 2, dtypes::real_and_bool>("fmin_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> a, In<"other"> b) { return masked(op<"logical_or">(op<"le">(a, b), op<"isnan">(b)), g); }),
             wrt("other",
                 [](Grad g, In<"self"> a, In<"other"> b) { return op<"where">(op<"logical_or">(op<"le">(a, b), op<"isnan">(b)), 0, g); })},
});

}  // namespace
}  // namespace mt
