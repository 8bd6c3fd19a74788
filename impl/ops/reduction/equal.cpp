// equal: true where both have the same size and elements.
#include "core/backend.h"
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"equal(Tensor self, Tensor other) -> bool"},
    .forms = function | method,
    .doc = "True where both have the same size and elements.",
    .cpu = [](const Tensor& a, const Tensor& b) -> bool {
      check(a.device() == b.device(), "Cannot compare two tensors on different devices. Got: {} and {}", a.device(), b.device());
      if (a.sizes() != b.sizes()) return false;
      if (a.numel() == 0) return true;
      BelowAutograd guard;
      return *on_host(op<"all">(op<"eq">(a, b))).data<bool>();
    },
    .npu = {any_device},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
