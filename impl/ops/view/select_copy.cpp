// select_copy: the elements of select, copied to new memory.
#include "rules/form/view_copy.h"
#include "rules/sparse/sparse_compressed_math.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"select_copy.int(Tensor self, int dim, SymInt index) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies the elements at `index` of dimension `dim`, without that dimension.

It computes what ``torch.select`` shows, in memory of its own.

Args:
    self (Tensor): tensor with at least one dimension.
    dim (int): dimension to drop; negative counts from the last.
    index (int): index in ``[-n, n)``; negative counts from the end.

Returns:
    Tensor: a contiguous tensor with one dimension less.

Example:
    >>> torch.select_copy(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([3, 4]))",
    .compressed = [](const Tensor& self, int64_t dim, int64_t index) -> Tensor { return compressed_select(self, dim, index, true); },
}));

}  // namespace
}  // namespace mt
