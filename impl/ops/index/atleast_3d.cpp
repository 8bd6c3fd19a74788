// atleast_3d: a tensor with at least three dimensions.
#include <vector>
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"atleast_3d(Tensor self) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor with at least three dimensions.

A matrix becomes ``(m, n, 1)``, a vector ``(1, n, 1)``, a tensor without dimensions ``(1, 1, 1)``,
as views; others come back themselves. Several tensors, as arguments or as one sequence, give a
tuple.

Args:
    self (Tensor): tensor of any shape.
    tensors (sequence of Tensor): instead, several tensors.

Returns:
    Tensor or tuple of Tensor: the tensors with at least three dimensions.

Example:
    >>> torch.atleast_3d(torch.zeros(2, 3)).shape
    torch.Size([2, 3, 1]))",
    .composite = [](const Tensor& t) -> Tensor {
      if (t.dim() == 0) return op<"reshape">(t, IntList{1, 1, 1});
      if (t.dim() == 1) return op<"unsqueeze">(op<"unsqueeze">(t, 0), -1);
      return t.dim() == 2 ? op<"unsqueeze">(t, -1) : t;
    },
});

MT_OP(OpDef{
    .schema = {"atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]"},
    .forms = function,
    .doc = R"(Returns each tensor with at least three dimensions.

Args:
    tensors (sequence of Tensor): tensors of any shape.

Returns:
    tuple of Tensor: views of those with fewer dimensions, the others themselves.

Example:
    >>> [t.shape for t in torch.atleast_3d([torch.tensor(3), torch.zeros(4)])]
    [torch.Size([1, 1, 1]), torch.Size([1, 4, 1])])",
    .composite = [](TensorList tensors) -> std::vector<Tensor> {
      std::vector<Tensor> out;
      for (const Tensor& t : tensors) out.push_back(op<"atleast_3d">(t));
      return out;
    },
});

}  // namespace
}  // namespace mt
