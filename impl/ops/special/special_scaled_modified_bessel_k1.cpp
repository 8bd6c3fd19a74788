// special_scaled_modified_bessel_k1: exp(x) times the modified Bessel function of the second kind, order 1.
#include "rules/bessel.h"

namespace mt {
namespace {

constexpr auto k1e_of = [](auto x) { return decltype(x)(bessel_k1e(double(x))); };

MT_OP(OpDef{
    .schema = {"special_scaled_modified_bessel_k1(Tensor x) -> Tensor"},
    .forms = function | out,
    .doc = "exp(x) times the modified Bessel function of the second kind, order 1.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<k1e_of, 1, float_and_double>("scaled_modified_bessel_k1_cpu").with_grain(2048),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
