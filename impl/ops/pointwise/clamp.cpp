// clamp: elements held between `min` and `max`; None leaves a side open.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"
#include "vmap/rule.h"

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

// Bounds that are tensors are recorded as one step, whichever of them there are.
constexpr auto between_tensors = [](const Tensor& self, const Tensor& low, const Tensor& high) -> Tensor {
  BelowAutograd guard;
  return clamped(self, box(low), box(high));
};
const Derivative gradients = {
    wrt("self",
        [](Grad g, In<"self"> x, In<"min"> low, In<"max"> high) {
          if (!high.defined()) return masked(op<"ge">(x, low), g);
          if (!low.defined()) return masked(op<"le">(x, high), g);
          return masked(op<"logical_and">(op<"ge">(x, low), op<"le">(x, high)), g);
        }),
    wrt("min",
        [](Grad g, In<"self"> x, In<"min"> low, In<"max"> high) {
          const Tensor below = op<"lt">(x, low);
          return masked(high.defined() ? op<"logical_and">(below, op<"lt">(low, high)) : below, g);
        }),
    wrt("max",
        [](Grad g, In<"self"> x, In<"min"> low, In<"max"> high) {
          const Tensor above = op<"gt">(x, high);
          return masked(low.defined() ? op<"logical_or">(above, op<"lt">(high, low)) : above, g);
        })};

MT_OP(OpDef{
    .schema = {"clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
               "clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Elements held between `min` and `max`; None leaves a side open.",
    .aliases = "clip",
    .composite = clamped,
    .overloads = {overload("Tensor", {.cpu = between_tensors, .npu = {any_device}, .meta = between_tensors, .grad = gradients, .grad_name = "ClampBackward0"})},
});

MT_BATCH("clamp.Tensor", batch_aligned);

}  // namespace
}  // namespace mt
