// cosine_similarity: the cosine of the angle between vectors along a dimension.
#include "dispatch/autocast.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"

namespace mt {
namespace {

// The vector over its length, or over `eps` where that is more; the bound itself has no gradient.
Tensor directed(const Tensor& x, int64_t dim, double eps) {
  const Tensor length = op<"clone">(op<"linalg_vector_norm">(x, 2, IntList(&dim, 1), true));
  {
    const GradMode no_grad(false);
    op<"clamp_min_">(length, eps);
  }
  return x / length;
}

MT_OP(OpDef{
    .schema = {"cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor"},
    .forms = function,
    .doc = "The cosine of the angle between x1 and x2 along `dim`.",
    .composite = [](const Tensor& x1, const Tensor& x2, int64_t dim, double eps) -> Tensor {
      const Tensor pair[] = {x1, x2};
      const Dtype common = result_type(pair, 2);
      check(is_floating(common), "expected common dtype to be floating point, yet common dtype is {}", common);
      const std::vector<Tensor> wide = x1.sizes() == x2.sizes() ? std::vector<Tensor>{x1, x2}
                                                                : op<"broadcast_tensors", std::vector<Tensor>>(TensorList(pair, 2));
      Tensor directions[2];
      for (int i = 0; i < 2; ++i) {
        const Tensor& x = wide[size_t(i)];
        directions[i] = directed(x.dtype() == common ? x : op<"to.dtype">(x, common), dim, eps);
      }
      return op<"sum.dim_IntList">(directions[0] * directions[1], IntList(&dim, 1));
    },
    .autocast = on_npu(Autocast::fp32),
});

}  // namespace
}  // namespace mt
