// _dim_arange: the indices of a dimension, 0, 1, ...
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_dim_arange(Tensor like, int dim) -> Tensor"},
    .forms = function,
    .doc = "Returns ``0, 1, ...`` up to the size of dimension `dim` of `like`, as int64.",
    .composite = [](const Tensor& like, int64_t dim) -> Tensor {
      return op<"arange">(like.size(wrap_dim(dim, like.dim())), Dtype::int64, nullptr, like.device());
    },
});

}  // namespace
}  // namespace mt
