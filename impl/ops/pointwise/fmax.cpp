// fmax: the larger of two elements, ignoring NaN.
#include "rules/algebra.h"
#include "rules/checked.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto fmax_of = [](auto a, auto b) { return isnan_(a) ? b : isnan_(b) ? a : (a < b ? b : a); };

MT_OP(OpDef{
    .schema = {"fmax(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "The larger of two elements; the other where one is NaN.",
    .rule = after(refuse_complex<"fmax not implemented for complex tensors.">, pointwise(promoting)),
    .cpu = elementwise<fmax_of, 2, dtypes::real_and_bool>("fmax_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> a, In<"other"> b) { return masked(op<"logical_or">(op<"ge">(a, b), op<"isnan">(b)), g); }),
             wrt("other",
                 [](Grad g, In<"self"> a, In<"other"> b) { return op<"where">(op<"logical_or">(op<"ge">(a, b), op<"isnan">(b)), 0, g); })},
});

}  // namespace
}  // namespace mt
