// diagflat: a matrix with all elements on a diagonal.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"diagflat(Tensor self, int offset=0) -> Tensor"},
    .forms = function | method,
    .doc = R"(Makes a matrix with all elements of a tensor on a diagonal, zeros elsewhere.

Args:
    self (Tensor): any shape and dtype; flattened first.
    offset (int): which diagonal: 0 the main one, positive ones above it. Default: ``0``.

Returns:
    Tensor: a matrix with numel + |offset| rows and columns; a copy.

Example:
    >>> torch.diagflat(torch.tensor([[1, 2], [3, 4]])).shape
    torch.Size([4, 4]))",
    .composite = [](const Tensor& self, int64_t k) -> Tensor { return op<"diag">(op<"view">(op<"contiguous">(self), IntList{-1}), k); },
});

}  // namespace
}  // namespace mt
