// numpy_T: all dimensions reversed.
#include "core/warn_once.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto reverse_dims = [](const Tensor& self) -> Tensor {
  Dims dims;
  for (int64_t d = self.dim(); d-- > 0;) dims.push_back(d);
  if (self.dim() != 2 && self.dim() != 0) {
    static std::atomic<bool> given;
    warn_once(given,
              "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error in a "
              "future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to "
              "reverse the dimensions of a tensor.");
  }
  return op<"permute">(self, IntList(dims));
};

MT_OP(OpDef{
    .schema = {"numpy_T(Tensor(a) self) -> Tensor(a)"},
    .doc = R"(Returns a view with all dimensions reversed; the property ``Tensor.T``.

For a matrix it is the transpose. For other numbers of dimensions than 2 it warns once:
``Tensor.mT`` transposes batches of matrices.

Args:
    self (Tensor): tensor of any shape.

Returns:
    Tensor: a view.

Example:
    >>> torch.tensor([[1, 2], [3, 4]]).T
    tensor([[1, 3],
            [2, 4]]))",
    .composite = reverse_dims,
});

}  // namespace
}  // namespace mt
