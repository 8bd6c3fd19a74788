// _sparse_mm_reduce_impl: a sparse matrix times a dense one, with another reduction than the sum; only sparse matrices have it.
#include "rules/matmul.h"

namespace mt {
namespace {

// No kernel for dense matrices, as in torch.
MT_OP(OpDef{
    .schema = {"_sparse_mm_reduce_impl(Tensor self, Tensor other, str reduce) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "The product of a sparse and a dense matrix by a reduction, and where its extremes come from.",
    .module = "sparse",
});

}  // namespace
}  // namespace mt
