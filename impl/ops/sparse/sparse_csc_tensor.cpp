// sparse_csc_tensor: a tensor of that layout from its parts.
#include "rules/sparse_creation.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_csc_tensor_unsafe(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "sparse_csc_tensor without checks of the parts.",
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
    .doc = "A tensor of the layout sparse_csc.",
    .composite = unsized_with_layout<Layout::sparse_csc>,
    .overloads = {overload("ccol_row_value_size", {.composite = sized_with_layout<Layout::sparse_csc>})},
});

}  // namespace
}  // namespace mt
