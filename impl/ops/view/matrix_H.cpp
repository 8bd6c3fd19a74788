// matrix_H, mH, adjoint: the conjugate transpose of matrices; mT: their transpose.
#include "core/warn_once.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

Tensor transpose_matrices(const Tensor& self, const char* name) {
  check(self.dim() >= 2, "tensor.{} is only supported on matrices or batches of matrices. Got {}-D tensor.", name, self.dim());
  return op<"transpose">(self, -2, -1);
}

Tensor conjugate_if_complex(const Tensor& self) { return is_complex(self.dtype()) ? Tensor(op<"conj">(self)) : self; }

// A tensor without dimensions is its own transpose, which torch deprecates.
Tensor conjugate_number(const Tensor& self, const char* name, std::atomic<bool>& given) {
  warn_once(given, "{} is deprecated on 0-D tensors. Consider using x.conj().", name);
  return conjugate_if_complex(self);
}

MT_OP(OpDef{
    .schema = {"matrix_H(Tensor(a) self) -> Tensor(a)"},
    .doc = R"(Returns the conjugate transpose of a matrix; the property ``Tensor.H``.

A real matrix is only transposed. The result is a view. Batches need ``Tensor.mH``.

Args:
    self (Tensor): matrix, or a tensor without dimensions.

Returns:
    Tensor: a view of shape ``(n, m)`` of an ``(m, n)`` matrix.

Raises:
    RuntimeError: when `self` has another number of dimensions.

Example:
    >>> torch.tensor([[1 + 1j, 2 + 0j]]).H
    tensor([[1.-1.j],
            [2.-0.j]]))",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dim() == 2 || self.dim() == 0, "tensor.H is only supported on matrices (2-D tensors). Got {}-D tensor.{}", self.dim(),
            self.dim() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
      static std::atomic<bool> given;
      return self.dim() == 0 ? conjugate_number(self, "Tensor.H", given) : conjugate_if_complex(op<"transpose">(self, 0, 1));
    },
});

MT_OP(OpDef{
    .schema = {"mT(Tensor(a) self) -> Tensor(a)"},
    .doc = R"(Returns the last two dimensions exchanged; the property ``Tensor.mT``.

Args:
    self (Tensor): matrix or batch of matrices ``(..., m, n)``, or, deprecated, without dimensions.

Returns:
    Tensor: a view of shape ``(..., n, m)``.

Raises:
    RuntimeError: when `self` has one dimension.

Example:
    >>> torch.zeros(5, 2, 3).mT.shape
    torch.Size([5, 3, 2]))",
    .composite = [](const Tensor& self) -> Tensor {
      if (self.dim() != 0) return transpose_matrices(self, "mT");
      static std::atomic<bool> given;
      warn_once(given, "Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.");
      return self;
    },
});

MT_OP(OpDef{
    .schema = {"mH(Tensor(a) self) -> Tensor(a)"},
    .doc = R"(Returns the last two dimensions exchanged and conjugated; the property ``Tensor.mH``.

Args:
    self (Tensor): matrix or batch of matrices ``(..., m, n)``, or, deprecated, without dimensions.

Returns:
    Tensor: a view of shape ``(..., n, m)``, a lazy conjugate where `self` is complex.

Raises:
    RuntimeError: when `self` has one dimension.

Example:
    >>> torch.zeros(5, 2, 3, dtype=torch.complex64).mH.shape
    torch.Size([5, 3, 2]))",
    .composite = [](const Tensor& self) -> Tensor {
      static std::atomic<bool> given;
      return self.dim() == 0 ? conjugate_number(self, "Tensor.mH", given) : conjugate_if_complex(transpose_matrices(self, "mH"));
    },
});

MT_OP(OpDef{
    .schema = {"adjoint(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns the last two dimensions exchanged and conjugated; the same as ``Tensor.mH``.

Args:
    self (Tensor): matrix or batch of matrices ``(..., m, n)``, or, deprecated, without dimensions.

Returns:
    Tensor: a view of shape ``(..., n, m)``, a lazy conjugate where `self` is complex.

Raises:
    RuntimeError: when `self` has one dimension.

Example:
    >>> torch.adjoint(torch.tensor([[1 + 1j, 2 + 0j]]))
    tensor([[1.-1.j],
            [2.-0.j]]))",
    .composite = [](const Tensor& self) -> Tensor {
      static std::atomic<bool> given;
      return self.dim() == 0 ? conjugate_number(self, "adjoint()", given) : conjugate_if_complex(transpose_matrices(self, "adjoint()"));
    },
});

}  // namespace
}  // namespace mt
