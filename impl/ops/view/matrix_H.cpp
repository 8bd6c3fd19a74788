// matrix_H, mT, mH, adjoint: the conjugate transpose of a matrix.
#include "rules/algebra.h"

namespace mt {
namespace {

Tensor swapped(const Tensor& self, const char* name) {
  check(self.dim() >= 2, "tensor.{} is only supported on matrices or batches of matrices. Got {}-D tensor.", name, self.dim());
  return op<"transpose">(self, -2, -1);
}

Tensor conjugated(const Tensor& self) { return is_complex(self.dtype()) ? Tensor(op<"conj">(self)) : self; }

MT_OP(OpDef{
    .schema = {"matrix_H(Tensor(a) self) -> Tensor(a)"},
    .doc = "The conjugate transpose of a matrix.",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dim() == 2 || self.dim() == 0,
            "tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor.{}", self.dim(),
            self.dim() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
      return self.dim() == 0 ? conjugated(self) : conjugated(op<"transpose">(self, 0, 1));
    },
});

MT_OP(OpDef{
    .schema = {"mT(Tensor(a) self) -> Tensor(a)"},
    .doc = "Matrices transposed.",
    .composite = [](const Tensor& self) -> Tensor { return swapped(self, "mT"); },
});

MT_OP(OpDef{
    .schema = {"mH(Tensor(a) self) -> Tensor(a)"},
    .doc = "Matrices transposed and conjugated.",
    .composite = [](const Tensor& self) -> Tensor { return conjugated(swapped(self, "mH")); },
});

MT_OP(OpDef{
    .schema = {"adjoint(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "Matrices transposed and conjugated.",
    .composite = [](const Tensor& self) -> Tensor { return conjugated(swapped(self, "adjoint()")); },
});

}  // namespace
}  // namespace mt
