// atleast_2d: a tensor with at least two dimensions.
#include <vector>
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"atleast_2d(Tensor self) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor with at least two dimensions.

A vector becomes a row ``(1, n)``, a tensor without dimensions ``(1, 1)``, as views; others come
back themselves. Several tensors, as arguments or as one sequence, give a tuple.

Args:
    self (Tensor): tensor of any shape.
    tensors (sequence of Tensor): instead, several tensors.

Returns:
    Tensor or tuple of Tensor: the tensors with at least two dimensions.

Example:
    >>> torch.atleast_2d(torch.tensor([1, 2]))
    tensor([[1, 2]]))",
    .composite = [](const Tensor& t) -> Tensor {
      return t.dim() == 0 ? op<"reshape">(t, IntList{1, 1}) : t.dim() == 1 ? op<"unsqueeze">(t, 0) : t;
    },
});

MT_OP(OpDef{
    .schema = {"atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]"},
    .forms = function,
    .doc = R"(Returns each tensor with at least two dimensions.

Args:
    tensors (sequence of Tensor): tensors of any shape.

Returns:
    tuple of Tensor: views as rows of those with fewer dimensions, the others themselves.

Example:
    >>> torch.atleast_2d([torch.tensor(3), torch.tensor([4, 5])])
    (tensor([[3]]), tensor([[4, 5]])))",
    .composite = [](TensorList tensors) -> std::vector<Tensor> {
      std::vector<Tensor> out;
      for (const Tensor& t : tensors) out.push_back(op<"atleast_2d">(t));
      return out;
    },
});

}  // namespace
}  // namespace mt
