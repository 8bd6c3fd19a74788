// fliplr: a copy with the second dimension reversed.
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fliplr(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns a copy with dimension 1 reversed: the columns of a matrix from right to left.

Args:
    self (Tensor): tensor with at least two dimensions.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when `self` has fewer than two dimensions.

Example:
    >>> torch.fliplr(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]]))",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dim() >= 2, "Input must be >= 2-d.");
      return op<"flip">(self, IntList{1});
    },
});

}  // namespace
}  // namespace mt
