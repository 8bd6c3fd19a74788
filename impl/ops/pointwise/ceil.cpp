// ceil: rounding up.
#include "rules/algebra.h"
#include "rules/checked.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"
#include "rules/sparse.h"

namespace mt {
namespace {

constexpr auto ceil_of = [](auto x) { if constexpr (std::is_integral_v<decltype(x)>) return x; else return std::ceil(x); };

void refuse_complex_numbers(const Call& call) {
  check(!is_complex(Unbox<Tensor>::from(call.args[0]).dtype()), ErrorKind::not_implemented, "ceil is not supported for complex inputs");
}

MT_OP(OpDef{
    .schema = {"ceil(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "The smallest integer not below each element.",
    .rule = after(refuse_complex_numbers, after(refuse_converting_out, pointwise(promoting))),
    .cpu = elementwise<ceil_of, 1, dtypes::real>("ceil_vml_cpu"),
    .npu = {"Ceil"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
