// positive: the tensor itself, what a unary + means.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"positive(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "`self`; an error for bool tensors.",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dtype() != Dtype::boolean, "The `+` operator, on a bool tensor is not supported.");
      return self;
    },
});

}  // namespace
}  // namespace mt
