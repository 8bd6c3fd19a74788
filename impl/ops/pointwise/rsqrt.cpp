// rsqrt: the reciprocal of the square root.
#include "dispatch/autocast.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto rsqrt_of = [](auto x) { return decltype(x)(1) / sqrt_(x); };

MT_OP(OpDef{
    .schema = {"rsqrt(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "1 / sqrt(x) for each element.",
    .rule = pointwise(promoting_to_float),
    .cpu = with_halves<rsqrt_of, 1>(elementwise<rsqrt_of, 1, dtypes::floating_and_complex>("rsqrt_cpu")),
    .npu = {"Rsqrt"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return conj(op<"pow">(y, 3)) * (g * -0.5); })},
});

}  // namespace
}  // namespace mt
