// special_ndtri: the inverse of the normal distribution function.
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto ndtri_of = [](auto given) __attribute__((always_inline)) {
  using T = decltype(given);
  const double p = double(given);
  return T(1.41421356237309504880 * cpu::vec::inverse_erf(2 * p - 1, 4 * p * (1 - p)));
};

MT_OP(OpDef{
    .schema = {"special_ndtri(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The inverse of the normal distribution function.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<ndtri_of, 1, float_and_double>("ndtri_cpu").with_grain(2048),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * op<"exp">(y * y * 0.5) * 2.50662827463100050242; })},
});

}  // namespace
}  // namespace mt
