// sparse_csr_tensor: makes a tensor of that layout from its components.
#include "rules/sparse/sparse_creation.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_csr_tensor_unsafe(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a sparse_csr tensor of given parts, without checks of the parts.",
    .composite = unsafe_with_layout<Layout::sparse_csr>,
});
MT_OP(OpDef{
    .schema =
        {"sparse_csr_tensor.crow_col_value(Tensor crow_indices, Tensor col_indices, Tensor values, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
         "sparse_csr_tensor.crow_col_value_size(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? "
         "dtype=None, "
         "Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = R"(Returns a tensor in the layout of compressed rows from its parts.

Autograd differentiates `values`. Without `size` it is the smallest that holds the indices.

Args:
    crow_indices (Tensor or sequence): where the elements of each of the rows begin, and at last
        where all end; shape ``(*batch, rows + 1)``; int64 or int32.
    col_indices (Tensor or sequence): column of each element, rising in a row; shape
        ``(*batch, elements)``.
    values (Tensor or sequence): elements; shape ``(*batch, elements, *dense)``.
    size (tuple of int, optional): shape of the tensor.
    dtype (torch.dtype, optional): Default: that of `values`.

Returns:
    Tensor: a tensor of the layout ``torch.sparse_csr``.

Raises:
    RuntimeError: when the parts do not fit each other or `size`.

Example:
    >>> torch.sparse_csr_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2)).to_dense()
    tensor([[0., 3.],
            [4., 0.]]))",
    .composite = unsized_with_layout<Layout::sparse_csr>,
    .overloads = {overload("crow_col_value_size", {.composite = sized_with_layout<Layout::sparse_csr>})},
});

}  // namespace
}  // namespace mt
