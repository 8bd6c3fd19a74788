// sparse_csr_tensor: a tensor of that layout from its parts.
#include "rules/sparse_creation.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_csr_tensor_unsafe(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = internal,
    .doc = "sparse_csr_tensor without checks of the parts.",
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
    .doc = "A tensor of the layout sparse_csr.",
    .composite = unsized_with_layout<Layout::sparse_csr>,
    .overloads = {overload("crow_col_value_size", {.composite = sized_with_layout<Layout::sparse_csr>})},
});

}  // namespace
}  // namespace mt
