// atleast_1d: a tensor with at least one dimension.
#include <vector>
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"atleast_1d(Tensor self) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor with at least one dimension.

A tensor without dimensions becomes a view of one element; others come back themselves. Several
tensors, as arguments or as one sequence, give a tuple.

Args:
    self (Tensor): tensor of any shape.
    tensors (sequence of Tensor): instead, several tensors.

Returns:
    Tensor or tuple of Tensor: the tensors with at least one dimension.

Example:
    >>> torch.atleast_1d(torch.tensor(3))
    tensor([3]))",
    .composite = [](const Tensor& t) -> Tensor { return t.dim() ? t : op<"reshape">(t, IntList{1}); },
});

MT_OP(OpDef{
    .schema = {"atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]"},
    .forms = function,
    .doc = R"(Returns each tensor with at least one dimension.

Args:
    tensors (sequence of Tensor): tensors of any shape.

Returns:
    tuple of Tensor: a view for each tensor without dimensions, the others themselves.

Example:
    >>> torch.atleast_1d([torch.tensor(3), torch.tensor([4, 5])])
    (tensor([3]), tensor([4, 5])))",
    .composite = [](TensorList tensors) -> std::vector<Tensor> {
      std::vector<Tensor> out;
      for (const Tensor& t : tensors) out.push_back(op<"atleast_1d">(t));
      return out;
    },
});

}  // namespace
}  // namespace mt
