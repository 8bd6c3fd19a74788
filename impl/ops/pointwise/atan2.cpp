// atan2: the angle of the point (other, self).
#include "cpu/vecmath_more.h"
#include "dispatch/autocast.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"

namespace mt {
namespace {

// Forced: flatten leaves a call to a body of this size, and a loop with a call stays scalar.
constexpr auto atan2_of = [](auto y, auto x) __attribute__((always_inline)) { return cpu::vec::atan2(y, x); };

MT_OP(OpDef{
    .schema = {"atan2(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The angle of the point with abscissa `other` and ordinate `self`.",
    .aliases = "arctan2",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<atan2_of, 2, dtypes::floating>("atan2_cpu"),
    .npu = {"Atan2"},
    .autocast = on_npu(Autocast::promote),
    .grad = {wrt("self", [](Grad g, In<"self"> y, In<"other"> x) { return g * (x / (x * x + y * y)); }),
             wrt("other", [](Grad g, In<"self"> y, In<"other"> x) { return g * (-y / (x * x + y * y)); })},
});

}  // namespace
}  // namespace mt
