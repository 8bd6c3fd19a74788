// sparse_csc_tensor: makes a tensor of that layout from its components.
#include "rules/sparse/sparse_creation.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_csc_tensor_unsafe(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a sparse_csc tensor of given parts, without checks of the parts.",
    .composite = unsafe_with_layout<Layout::sparse_csc>,
});
MT_OP(OpDef{
    .schema =
        {"sparse_csc_tensor.ccol_row_value(Tensor ccol_indices, Tensor row_indices, Tensor values, *, ScalarType? dtype=None, Layout? "
         "layout=None, Device? device=None, bool? pin_memory=False) -> Tensor",
         "sparse_csc_tensor.ccol_row_value_size(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? "
         "dtype=None, "
         "Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor"},
    .forms = internal,
    .doc = R"(Returns a tensor in the layout of compressed columns from its parts.

Autograd differentiates `values`. Without `size` it is the smallest that holds the indices.

Args:
    ccol_indices (Tensor or sequence): where the elements of each of the columns begin, and at last
        where all end; shape ``(*batch, columns + 1)``; int64 or int32.
    row_indices (Tensor or sequence): row of each element, rising in a column; shape
        ``(*batch, elements)``.
    values (Tensor or sequence): elements; shape ``(*batch, elements, *dense)``.
    size (tuple of int, optional): shape of the tensor.
    dtype (torch.dtype, optional): Default: that of `values`.

Returns:
    Tensor: a tensor of the layout ``torch.sparse_csc``.

Raises:
    RuntimeError: when the parts do not fit each other or `size`.

Example:
    >>> torch.sparse_csc_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2)).to_dense()
    tensor([[0., 4.],
            [3., 0.]]))",
    .composite = unsized_with_layout<Layout::sparse_csc>,
    .overloads = {overload("ccol_row_value_size", {.composite = sized_with_layout<Layout::sparse_csc>})},
});

}  // namespace
}  // namespace mt
