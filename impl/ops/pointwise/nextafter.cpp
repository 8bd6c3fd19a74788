// nextafter: the next number after `self` towards `other`.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto next = [](auto a, auto b) { return std::nextafter(a, b); };

MT_OP(OpDef{
    .schema = {"nextafter(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The next number after `self` towards `other`.",
    .rule = pointwise(promoting),
    .cpu = elementwise<next, 2, Dtypes(dtype_bit(Dtype::float32) | dtype_bit(Dtype::float64))>("nextafter_cpu"),
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }), wrt("other", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
