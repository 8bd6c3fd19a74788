// broadcast_tensors: views of several tensors in the shape that they broadcast to.
#include <vector>

#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"broadcast_tensors(Tensor[] tensors) -> Tensor[]"},
    .forms = function,
    .doc = R"(Returns views of the tensors in the shape that all of them broadcast to.

A tensor that has this shape already comes back itself. Elements of an expanded view share memory:
clone it before a write.

Args:
    tensors (sequence of Tensor): tensors of broadcastable shapes.

Returns:
    list of Tensor: one view for each tensor, all of one shape.

Raises:
    RuntimeError: when the shapes do not broadcast.

Example:
    >>> a, b = torch.broadcast_tensors(torch.arange(3).view(1, 3), torch.arange(2).view(2, 1))
    >>> a
    tensor([[0, 1, 2],
            [0, 1, 2]])
    >>> b.shape
    torch.Size([2, 3]))",
    .composite = [](TensorList tensors) -> std::vector<Tensor> {
      Dims sizes;
      for (const Tensor& t : tensors) sizes = broadcast_shapes(sizes, t.sizes());
      std::vector<Tensor> out;
      for (const Tensor& t : tensors) out.push_back(sizes == t.sizes() ? t : op<"expand">(t, sizes));
      return out;
    },
});

}  // namespace
}  // namespace mt
