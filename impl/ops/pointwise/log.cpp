// log: the natural logarithm.
#include "dispatch/autocast.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto log_of = [](auto x) __attribute__((always_inline)) { return log_(x); };

MT_OP(OpDef{
    .schema = {"log(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Natural logarithm of each element.",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<log_of, 1, dtypes::floating_and_complex>("log_cpu").with_grain(4096),
    .npu = {"Log"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g / conj(x); })},
});

}  // namespace
}  // namespace mt
