// linalg_diagonal: diagonal over the last two dimensions.
#include "rules/linalg.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)"},
    .forms = function,
    .doc = "A view of each matrix's diagonal.",
    .module = "linalg",
    .composite = [](const Tensor& a, int64_t offset, int64_t dim1, int64_t dim2) -> Tensor {
      return op<"diagonal">(a, offset, dim1, dim2);
    },
});

}  // namespace
}  // namespace mt
