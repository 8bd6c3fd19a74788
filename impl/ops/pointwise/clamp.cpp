// clamp: elements held between `min` and `max`; None leaves a side open.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

void check_bounds(const Tensor& self, const Value& low, const Value& high) {
  check(low.tag != MT_TAG_NONE || high.tag != MT_TAG_NONE, "torch.clamp: At least one of 'min' or 'max' must not be None");
  check(!is_complex(self.dtype()) || (low.tag == MT_TAG_TENSOR) != (high.tag == MT_TAG_TENSOR), ErrorKind::not_implemented,
        "clamp is not supported for complex types");
}
constexpr auto clamped = [](const Tensor& self, const Value& low, const Value& high) -> Tensor {
  check_bounds(self, low, high);
  if (high.tag == MT_TAG_NONE) return op<"clamp_min">(self, low);
  if (low.tag == MT_TAG_NONE) return op<"clamp_max">(self, high);
  return op<"_clamp_both">(self, low, high);
};
constexpr auto clamped_in_place = [](const Tensor& self, const Value& low, const Value& high) {
  check_bounds(self, low, high);
  if (high.tag == MT_TAG_NONE) return void(op<"clamp_min_">(self, low));
  if (low.tag == MT_TAG_NONE) return void(op<"clamp_max_">(self, high));
  op<"_clamp_both_">(self, low, high);
};

MT_OP(OpDef{
    .schema = {"clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
               "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor"},
    .forms = function | method | out,
    .doc = "Elements held between `min` and `max`; None leaves a side open.",
    .aliases = "clip",
    .composite = clamped,
});
MT_OP(OpDef{
    .schema = {"clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)",
               "clamp_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)"},
    .forms = method | function,
    .doc = "clamp in place.",
    .aliases = "clip_",
    .composite = clamped_in_place,
});

}  // namespace
}  // namespace mt
