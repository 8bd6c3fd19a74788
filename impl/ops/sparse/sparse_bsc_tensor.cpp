// sparse_bsc_tensor: a tensor of that layout from its parts.
#include "rules/sparse_creation.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_bsc_tensor_unsafe(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "sparse_bsc_tensor without checks of the parts.",
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
    .doc = "A tensor of the layout sparse_bsc.",
    .composite = unsized_with_layout<Layout::sparse_bsc>,
    .overloads = {overload("ccol_row_value_size", {.composite = sized_with_layout<Layout::sparse_bsc>})},
});

}  // namespace
}  // namespace mt
