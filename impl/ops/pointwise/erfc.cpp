// erfc: the complementary error function.
#include "cpu/vecmath_more.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"

namespace mt {
namespace {

// Forced: flatten leaves a call to a body of this size, and a loop with a call stays scalar.
constexpr auto erfc_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::erfc_all(x); };

MT_OP(OpDef{
    .schema = {"erfc(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "1 - erf(x) for each element.",
    .aliases = "special_erfc",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<erfc_of, 1, dtypes::floating>("erfc_vml_cpu").with_grain(4096),
    .npu = {"Erfc"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * (op<"exp">(-(x * x)) * -1.1283791670955126); })},
});

}  // namespace
}  // namespace mt
