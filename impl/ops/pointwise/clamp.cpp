// clamp: elements held between `min` and `max`; None leaves a side open.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

bool is_given(const Value& bound) { return bound.tag != MT_TAG_NONE; }
void check_arguments(const Tensor& self, const Value& low, const Value& high) {
  check(is_given(low) || is_given(high), "torch.clamp: At least one of 'min' or 'max' must not be None");
  check(!is_complex(self.dtype()) || (low.tag == MT_TAG_TENSOR) != (high.tag == MT_TAG_TENSOR), ErrorKind::not_implemented,
        "clamp is not supported for complex types");
}
constexpr auto clamped = [](const Tensor& self, const Value& low, const Value& high) -> Tensor {
  check_arguments(self, low, high);
  if (!is_given(high)) return op<"clamp_min">(self, low);
  if (!is_given(low)) return op<"clamp_max">(self, high);
  return op<"_clamp_both">(self, low, high);
};
constexpr auto clamp_in_place = [](const Tensor& self, const Value& low, const Value& high) -> Tensor {
  check_arguments(self, low, high);
  if (!is_given(high)) return op<"clamp_min_">(self, low);
  if (!is_given(low)) return op<"clamp_max_">(self, high);
  return op<"_clamp_both_">(self, low, high);
};

MT_OP(OpDef{
    .schema = {"clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
               "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor"},
    .forms = function | method | out,
    .doc = "Elements held between `min` and `max`; None leaves a side open.",
    .aliases = "clip",
    .composite = clamped,
});
// Its own entry: it needs no memory beside the tensor's.
MT_OP(OpDef{
    .schema = {"clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)",
               "clamp_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)"},
    .forms = function | method,
    .doc = "Elements held between `min` and `max`, in place; None leaves a side open.",
    .aliases = "clip_",
    .composite = clamp_in_place,
});

}  // namespace
}  // namespace mt
