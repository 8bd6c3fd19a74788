// special_modified_bessel_k1: the modified Bessel function of the second kind, order 1.
#include "rules/bessel.h"

namespace mt {
namespace {

constexpr auto k1_of = [](auto x) { return decltype(x)(bessel_k1e(double(x)) * std::exp(-double(x))); };

MT_OP(OpDef{
    .schema = {"special_modified_bessel_k1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The modified Bessel function of the second kind, order 1.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<k1_of, 1, float_and_double>("modified_bessel_k1_cpu").with_grain(2048),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
