// sparse_bsr_tensor: makes a tensor of that layout from its components.
#include "rules/sparse/sparse_creation.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_bsr_tensor_unsafe(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a sparse_bsr tensor of given parts, without checks of the parts.",
    .composite = unsafe_with_layout<Layout::sparse_bsr>,
});
MT_OP(OpDef{
    .schema =
        {"sparse_bsr_tensor.crow_col_value(Tensor crow_indices, Tensor col_indices, Tensor values, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
         "sparse_bsr_tensor.crow_col_value_size(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? "
         "dtype=None, "
         "Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = R"(Returns a tensor in the layout of compressed rows of blocks from its parts.

Autograd differentiates `values`. Without `size` it is the smallest that holds the indices.

Args:
    crow_indices (Tensor or sequence): where the elements of each of the block rows begin, and at
        last where all end; shape ``(*batch, block rows + 1)``; int64 or int32.
    col_indices (Tensor or sequence): block column of each block, rising in a block row; shape
        ``(*batch, blocks)``.
    values (Tensor or sequence): blocks; shape ``(*batch, blocks, height, width, *dense)``.
    size (tuple of int, optional): shape of the tensor.
    dtype (torch.dtype, optional): Default: that of `values`.

Returns:
    Tensor: a tensor of the layout ``torch.sparse_bsr``.

Raises:
    RuntimeError: when the parts do not fit each other or `size`.

Example:
    >>> values = torch.tensor([[[1.0, 2.0]], [[3.0, 4.0]]])
    >>> torch.sparse_bsr_tensor([0, 1, 2], [1, 0], values, (2, 4)).to_dense()
    tensor([[0., 0., 1., 2.],
            [3., 4., 0., 0.]]))",
    .composite = unsized_with_layout<Layout::sparse_bsr>,
    .overloads = {overload("crow_col_value_size", {.composite = sized_with_layout<Layout::sparse_bsr>})},
});

}  // namespace
}  // namespace mt
