// hardswish: a piecewise approximation of silu.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto hardswish_of = [](auto x) { using T = decltype(x); T y = x + 3; y = y < 0 ? T(0) : y > 6 ? T(6) : y; return x * y / 6; };

MT_OP(OpDef{
    .schema = {"hardswish(Tensor self) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = "x * clamp(x + 3, 0, 6) / 6 for each element.",
    .module = "nn",
    .rule = pointwise(promoting),
    .cpu = elementwise<hardswish_of, 1, dtypes::floating>("hardswish_cpu"),
    .npu = {"Hardswish"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return op<"hardswish_backward">(g, x); })},
});

}  // namespace
}  // namespace mt
