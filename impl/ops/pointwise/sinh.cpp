// sinh: the hyperbolic sine.
#include "dispatch/autocast.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/sparse.h"
#include "rules/vector_math.h"

namespace mt {
namespace {

constexpr auto sinh_of = [](auto x) __attribute__((always_inline)) { return vector_sinh(x); };

MT_OP(OpDef{
    .schema = {"sinh(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Hyperbolic sine of each element.",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<sinh_of, 1, dtypes::floating_and_complex>("sinh_cpu").with_grain(4096),
    .npu = {"Sinh"},
    .sparse = on_values,
    .compressed = on_values,
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * conj(op<"cosh">(x)); })},
});

}  // namespace
}  // namespace mt
