// cosh: the hyperbolic cosine.
#include "dispatch/autocast.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/vector_math.h"

namespace mt {
namespace {

constexpr auto cosh_of = [](auto x) __attribute__((always_inline)) { return vector_cosh(x); };

MT_OP(OpDef{
    .schema = {"cosh(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Hyperbolic cosine of each element.",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<cosh_of, 1, dtypes::floating_and_complex>("cosh_cpu").with_grain(4096),
    .npu = {"Cosh"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * conj(op<"sinh">(x)); })},
});

}  // namespace
}  // namespace mt
