// erfinv: the inverse of the error function.
#include "dispatch/autocast.h"
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto inverse_erf_of = [](auto given) __attribute__((always_inline)) {
  const double x = double(given);
  return decltype(given)(cpu::vec::inverse_erf(x, (1 - x) * (1 + x)));
};

MT_OP(OpDef{
    .schema = {"erfinv(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The inverse of the error function.",
    .aliases = "special_erfinv",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<inverse_erf_of, 1, dtypes::floating>("erfinv_vml_cpu").with_grain(8192),
    .npu = {"Erfinv"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * (op<"exp">(y * y) * 0.88622692545275801365); })},
});

}  // namespace
}  // namespace mt
