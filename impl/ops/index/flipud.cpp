// flipud: a copy with the first dimension reversed.
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"flipud(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns a copy with dimension 0 reversed: the rows of a matrix from bottom to top.

Args:
    self (Tensor): tensor with at least one dimension.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when `self` has no dimension.

Example:
    >>> torch.flipud(torch.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]]))",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dim() >= 1, "Input must be >= 1-d.");
      return op<"flip">(self, IntList{0});
    },
});

}  // namespace
}  // namespace mt
