// clamp: elements held between `min` and `max`; None leaves a side open.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto clamped = [](const Tensor& self, const Value& low, const Value& high) -> Tensor {
  const bool has_low = low.tag != MT_TAG_NONE, has_high = high.tag != MT_TAG_NONE;
  check(has_low || has_high, "torch.clamp: At least one of 'min' or 'max' must not be None");
  check(!is_complex(self.dtype()) || (low.tag == MT_TAG_TENSOR) != (high.tag == MT_TAG_TENSOR), ErrorKind::not_implemented,
        "clamp is not supported for complex types");
  if (!has_high) return op<"clamp_min">(self, low);
  if (!has_low) return op<"clamp_max">(self, high);
  return op<"_clamp_both">(self, low, high);
};

MT_OP(OpDef{
    .schema = {"clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
               "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Elements held between `min` and `max`; None leaves a side open.",
    .aliases = "clip",
    .composite = clamped,
});

}  // namespace
}  // namespace mt
