// silu: x times its logistic function.
#include "rules/algebra.h"
#include "rules/complex_loops.h"

namespace mt {
namespace {

constexpr auto silu_of_power = [](auto x, auto power) { return quotient(x, decltype(x)(1) + power); };
constexpr auto silu_of = [](auto x) { return x / (decltype(x)(1) + exp_(-x)); };

MT_OP(OpDef{
    .schema = {"silu(Tensor self) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = "x * sigmoid(x) for each element.",
    .module = "nn",
    .rule = pointwise(promoting),
    .cpu = with_exponentials<silu_of_power, -1>(elementwise<silu_of, 1, dtypes::floating_and_complex>("silu_cpu")).with_grain(4096),
    .npu = {"Silu"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return op<"silu_backward">(g, x); })},
});

}  // namespace
}  // namespace mt
