// isreal: whether the imaginary part is zero.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"isreal(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "Whether the imaginary part of each element is zero.",
    .composite = [](const Tensor& self) -> Tensor {
      if (is_complex(self.dtype())) return op<"eq">(op<"imag">(self), 0);
      return op<"ones_like">(self, Dtype::boolean);
    },
});

}  // namespace
}  // namespace mt
