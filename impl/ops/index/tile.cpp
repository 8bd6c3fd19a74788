// tile: as repeat; missing leading counts are 1.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"tile(Tensor self, SymInt[] dims) -> Tensor"},
    .forms = function | method,
    .doc = R"(Copies the tensor `dims` times along each dimension, as NumPy's ``tile`` does.

With fewer numbers than dimensions the first dimensions are not repeated; with more, new leading
dimensions are made.

Args:
    self (Tensor): tensor of any shape.
    dims (tuple of int): how often, for each dimension.

Returns:
    Tensor: a new tensor; each size is multiplied.

Raises:
    RuntimeError: when a number is negative.

Example:
    >>> torch.tile(torch.tensor([[1], [2]]), (2,))
    tensor([[1, 1],
            [2, 2]]))",
    .composite = [](const Tensor& self, IntList dims) -> Tensor {
      Dims counts(dims);
      while (counts.size() < self.dim()) counts.insert(0, 1);
      return op<"repeat">(self, counts);
    },
});

}  // namespace
}  // namespace mt
