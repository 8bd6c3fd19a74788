// numpy_T, matrix_H, mT, mH, adjoint: transposes by the names of Tensor's properties.
#include "rules/algebra.h"

namespace mt {
namespace {

constexpr auto reversed = [](const Tensor& self) -> Tensor {
  Dims dims;
  for (int64_t d = self.dim(); d-- > 0;) dims.push_back(d);
  if (self.dim() != 2 && self.dim() != 0) {
    warn("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error in a future "
         "release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the "
         "dimensions of a tensor.");
  }
  return op<"permute">(self, IntList(dims));
};
Tensor swapped(const Tensor& self, const char* name) {
  check(self.dim() >= 2, "tensor.{} is only supported on matrices or batches of matrices. Got {}-D tensor.", name, self.dim());
  return op<"transpose">(self, -2, -1);
}
Tensor conjugated(const Tensor& self) { return is_complex(self.dtype()) ? Tensor(op<"conj">(self)) : self; }

MT_OP(OpDef{
    .schema = {"numpy_T(Tensor(a) self) -> Tensor(a)"},
    .doc = "All dimensions reversed.",
    .composite = reversed,
});
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
