// _sparse_csr_sum, _sparse_csr_prod: reduce a sparse_csr matrix with keepdim; empty rows or columns are not stored.
#include "rules/sparse/sparse_compressed_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_sparse_csr_sum.dim_dtype(Tensor self, int[1] dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function,
    .doc = "Returns the sums of the stored elements of a sparse_csr matrix over `dim`, which stays with size 1.",
    .compressed = [](const Tensor& self, IntList dim, bool keepdim, std::optional<Dtype> dtype) -> Tensor {
      return reduce_compressed(self, dim, keepdim, dtype, /*multiplies=*/false);
    },
});

MT_OP(OpDef{
    .schema = {"_sparse_csr_prod.dim_dtype(Tensor self, int[1] dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"},
    .forms = function,
    .doc = "Returns the products of the stored elements of a sparse_csr matrix over `dim`.",
    .compressed = [](const Tensor& self, IntList dim, bool keepdim, std::optional<Dtype> dtype) -> Tensor {
      return reduce_compressed(self, dim, keepdim, dtype, /*multiplies=*/true);
    },
});

}  // namespace
}  // namespace mt
