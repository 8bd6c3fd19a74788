// deg2rad: degrees to radians.
#include "rules/algebra.h"
#include "rules/checked.h"
#include "rules/pointwise_layout.h"
#include "rules/scalar_math.h"
#include "rules/sparse.h"

namespace mt {
namespace {

constexpr auto to_radians = [](auto x) { return x * decltype(x)(0.017453292519943295769); };

MT_OP(OpDef{
    .schema = {"deg2rad(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Degrees to radians.",
    .rule = after(refuse_complex<"deg2rad is not supported for complex tensors.">,
                  pointwise_laid_out(ResultLayout::of_first, promoting_to_float)),
    .cpu = elementwise<to_radians, 1, dtypes::floating>("deg2rad"),
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g) { return g * 0.017453292519943295769; })},
});

}  // namespace
}  // namespace mt
