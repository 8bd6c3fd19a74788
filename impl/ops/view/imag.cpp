// imag: the imaginary part as a view.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"imag(Tensor(a) self) -> Tensor(a)"},
    .forms = function,
    .doc = "The imaginary part as a view.",
    .composite = [](const Tensor& self) -> Tensor {
      check(is_complex(self.dtype()), "imag is not implemented for tensors with non-complex dtypes.");
      if (self.is_conj()) return op<"_neg_view">(op<"select">(op<"view_as_real">(op<"_conj">(self)), -1, 1));
      return op<"select">(op<"view_as_real">(self), -1, 1);
    },
});

}  // namespace
}  // namespace mt
