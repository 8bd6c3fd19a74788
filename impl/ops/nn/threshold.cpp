// threshold: x where it exceeds a threshold, a value elsewhere.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto threshold_of = [](auto x, auto t, auto v) { return x <= t ? v : x; };

MT_OP(OpDef{
    .schema = {"threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = "x where x > `threshold`, `value` elsewhere.",
    .module = "",
    .rule = pointwise(promoting),
    .cpu = elementwise<threshold_of, 3, dtypes::real>("threshold_cpu"),
    .npu = {"Threshold"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"threshold", Scalar> t) { return op<"threshold_backward">(g, x, *t); })},
});

}  // namespace
}  // namespace mt
