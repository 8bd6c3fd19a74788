// exp: the exponential function.
#include "dispatch/autocast.h"
#include "rules/algebra.h"
#include "rules/complex_loops.h"

namespace mt {
namespace {

constexpr auto power_alone = [](auto, auto power) { return power; };
constexpr auto exp_of = [](auto x) { return exp_(x); };

MT_OP(OpDef{
    .schema = {"exp(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "e raised to each element.",
    .rule = pointwise(promoting_to_float),
    .cpu = with_exponentials<power_alone, 1>(elementwise<exp_of, 1, dtypes::floating_and_complex>("exp_cpu")).with_grain(4096),
    .npu = {"Exp"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * conj(y); })},
});

}  // namespace
}  // namespace mt
