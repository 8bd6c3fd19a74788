// special_erfcx: exp(x^2) erfc(x), which neither overflows nor underflows for x > 0.
#include "rules/normal_tail.h"

namespace mt {
namespace {

constexpr auto erfcx_of = [](auto x) { return decltype(x)(scaled_erfc(double(x))); };

MT_OP(OpDef{
    .schema = {"special_erfcx(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "exp(x^2) erfc(x), which neither overflows nor underflows for x > 0.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<erfcx_of, 1, float_and_double>("erfcx_cpu").with_grain(2048),
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return g * (x * y * 2 - 1.12837916709551257390); })},
});

}  // namespace
}  // namespace mt
