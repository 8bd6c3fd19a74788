// sparse_bsc_tensor: makes a tensor of that layout from its components.
#include "rules/sparse/sparse_creation.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_bsc_tensor_unsafe(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a sparse_bsc tensor of given parts, without checks of the parts.",
    .composite = unsafe_with_layout<Layout::sparse_bsc>,
});
MT_OP(OpDef{
    .schema =
        {"sparse_bsc_tensor.ccol_row_value(Tensor ccol_indices, Tensor row_indices, Tensor values, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
         "sparse_bsc_tensor.ccol_row_value_size(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? "
         "dtype=None, "
         "Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = R"(Returns a tensor in the layout of compressed columns of blocks from its parts.

Autograd differentiates `values`. Without `size` it is the smallest that holds the indices.

Args:
    ccol_indices (Tensor or sequence): where the elements of each of the block columns begin, and at
        last where all end; shape ``(*batch, block columns + 1)``; int64 or int32.
    row_indices (Tensor or sequence): block row of each block, rising in a block column; shape
        ``(*batch, blocks)``.
    values (Tensor or sequence): blocks; shape ``(*batch, blocks, height, width, *dense)``.
    size (tuple of int, optional): shape of the tensor.
    dtype (torch.dtype, optional): Default: that of `values`.

Returns:
    Tensor: a tensor of the layout ``torch.sparse_bsc``.

Raises:
    RuntimeError: when the parts do not fit each other or `size`.

Example:
    >>> values = torch.tensor([[[1.0], [2.0]], [[3.0], [4.0]]])
    >>> torch.sparse_bsc_tensor([0, 1, 2], [1, 0], values, (4, 2)).to_dense()
    tensor([[0., 3.],
            [0., 4.],
            [1., 0.],
            [2., 0.]]))",
    .composite = unsized_with_layout<Layout::sparse_bsc>,
    .overloads = {overload("ccol_row_value_size", {.composite = sized_with_layout<Layout::sparse_bsc>})},
});

}  // namespace
}  // namespace mt
