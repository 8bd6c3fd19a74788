// special_erfcx: exp(x^2) erfc(x), which neither overflows nor underflows for x > 0.
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto erfcx_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::scaled_erfc(x); };

MT_OP(OpDef{
    .schema = {"special_erfcx(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "exp(x^2) erfc(x), which neither overflows nor underflows for x > 0.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<erfcx_of, 1>("erfcx_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return g * (x * y * 2 - 1.12837916709551257390); })},
});

}  // namespace
}  // namespace mt
