// special_ndtr: the normal distribution function.
#include "dispatch/out_words.h"
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"special_ndtr(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The normal distribution function.",
    .module = "special",
    .composite = [](const Tensor& self) -> Tensor { return (op<"erf">(self * 0.70710678118654752440) + 1) * 0.5; },
});

MT_OUT("special_ndtr", .converts = true,
       .device = "Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
       .recorded_as = written_as_leaf);

}  // namespace
}  // namespace mt
