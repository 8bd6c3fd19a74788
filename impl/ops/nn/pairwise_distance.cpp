// pairwise_distance: the p-norm of the difference of corresponding vectors.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor"},
    .forms = function,
    .doc = "The p-norm of x1 - x2 + eps over the last dimension.",
    .composite = [](const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) -> Tensor {
      const int64_t last = std::max(x1.dim(), x2.dim()) - 1;
      return op<"norm.ScalarOpt_dim">(x1 - x2 + eps, p, IntList(&last, 1), keepdim);
    },
});

}  // namespace
}  // namespace mt
