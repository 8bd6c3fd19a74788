// _validate_sparse_compressed_tensor_args and variants: check that components form a tensor of a compressed layout.
#include "core/messages.h"
#include "rules/sparse/sparse_compressed.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_validate_sparse_compressed_tensor_args(Tensor compressed_indices, Tensor plain_indices, Tensor values, int[] size, Layout "
               "layout, bool? check_pinning=None) -> ()"},
    .forms = function,
    .doc = "Raises a RuntimeError where the parts do not make a tensor of the compressed `layout`.",
    .composite =
        [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, Layout layout, std::optional<bool>) {
          check(is_compressed(layout), "validate_sparse_compressed_tensor_args expected sparse compressed tensor layout but got {}",
                name_of(layout));
          check_compressed(layout, begins, plain, values, size, /*in_order=*/true);
        },
});

template <Layout layout>
constexpr auto validate_compressed_arguments =
    [](const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, std::optional<bool>) {
      check_compressed(layout, begins, plain, values, size, /*in_order=*/true);
    };

MT_OP(OpDef{
    .schema = {"_validate_sparse_csr_tensor_args(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, bool? "
               "check_pinning=None) -> "
               "()"},
    .forms = function,
    .doc = "Raises a RuntimeError where the parts do not make a sparse_csr tensor.",
    .composite = validate_compressed_arguments<Layout::sparse_csr>,
});
MT_OP(OpDef{
    .schema = {"_validate_sparse_csc_tensor_args(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, bool? "
               "check_pinning=None) -> "
               "()"},
    .forms = function,
    .doc = "Raises a RuntimeError where the parts do not make a sparse_csc tensor.",
    .composite = validate_compressed_arguments<Layout::sparse_csc>,
});
MT_OP(OpDef{
    .schema = {"_validate_sparse_bsr_tensor_args(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, bool? "
               "check_pinning=None) -> "
               "()"},
    .forms = function,
    .doc = "Raises a RuntimeError where the parts do not make a sparse_bsr tensor.",
    .composite = validate_compressed_arguments<Layout::sparse_bsr>,
});
MT_OP(OpDef{
    .schema = {"_validate_sparse_bsc_tensor_args(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, bool? "
               "check_pinning=None) -> "
               "()"},
    .forms = function,
    .doc = "Raises a RuntimeError where the parts do not make a sparse_bsc tensor.",
    .composite = validate_compressed_arguments<Layout::sparse_bsc>,
});

MT_OP(OpDef{
    .schema =
        {"_validate_compressed_sparse_indices(bool is_crow, Tensor compressed_idx, Tensor plain_idx, int cdim, int dim, int nnz) -> ()"},
    .forms = function,
    .doc = R"(Raises a RuntimeError where compressed indices are out of range or not in order.

There are `cdim` rows (columns, unless `is_crow`) of `dim` elements.)",
    .cpu =
        [](bool is_crow, const Tensor& begins, const Tensor& plain, int64_t cdim, int64_t dim, int64_t nnz) {
          const char* first = is_crow ? "crow_indices" : "ccol_indices";
          const char* second = is_crow ? "col_indices" : "row_indices";
          check(begins.dim() > 0 && plain.dim() > 0 && begins.sizes().first(begins.dim() - 1) == plain.sizes().first(plain.dim() - 1),
                messages::dimensionalities_must_be_equal, first, second, begins.dim(), plain.dim());
          check(begins.size(-1) == cdim + 1, "{} have wrong shape: {}.shape[-1] = {} is not equal to {} + 1 = {}", first, first,
                begins.size(-1), is_crow ? "nrows" : "ncols", cdim + 1);
          check(plain.size(-1) == nnz, "{} have wrong shape: {}.shape[-1] = {} is not equal to nnz = {}", second, second, plain.size(-1),
                nnz);
          check(plain.dtype() == Dtype::int32 || plain.dtype() == Dtype::int64, ErrorKind::not_implemented,
                "\"compressed_index_invariance_checks_cpu\" not implemented for '{}'", plain.dtype());
          check(begins.dtype() == plain.dtype(), messages::found_dtype_but_expected, begins.dtype(), plain.dtype());
          check_indices(is_crow, begins, plain, dim, nnz, /*in_order=*/true);
        },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
