// erf: the error function.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"
#include "rules/sparse.h"

namespace mt {
namespace {

// The vector library's own name, which is always inlined: flatten leaves a call to erf_ here, and the loop scalar.
constexpr auto erf_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::erf(x); };

MT_OP(OpDef{
    .schema = {"erf(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Error function of each element.",
    .aliases = "special_erf",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<erf_of, 1, dtypes::floating>("erf_vml_cpu").with_grain(4096),
    .npu = {"Erf"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * (op<"exp">(-(x * x)) * 1.1283791670955126); })},
});

}  // namespace
}  // namespace mt
