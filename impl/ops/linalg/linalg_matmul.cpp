// linalg_matmul: another name for matmul.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"linalg_matmul(Tensor self, Tensor other) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the matrix product. It is another name of `torch.matmul`, which says more.

Args:
    self, other (Tensor): vectors, matrices or batches of matrices.

Returns:
    Tensor: the product.

Example:
    >>> torch.linalg.matmul(torch.tensor([[1, 2], [3, 4]]), torch.tensor([1, 1]))
    tensor([3, 7]))",
    .module = "linalg",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor { return op<"matmul">(a, b); },
});

}  // namespace
}  // namespace mt
