// cosine_similarity: the cosine of the angle between vectors along a dimension.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

// The norms along `dim`, at least `eps`; the lower bound itself has no gradient.
Tensor compute_clamped_norms(const Tensor& x, int64_t dim, double eps) {
  const Tensor length = op<"clone">(op<"linalg_vector_norm">(x, 2, IntList(&dim, 1), true));
  const GradMode no_grad(false);
  op<"clamp_min_">(length, eps);
  return length;
}

MT_OP(OpDef{
    .schema = {"cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the cosine of the angle between vectors along a dimension.

It is ``sum(x1 * x2) / (max(|x1|, eps) * max(|x2|, eps))``, summed along `dim`. Shapes are
broadcast.

Args:
    x1 (Tensor): vectors along `dim`.
    x2 (Tensor): vectors; broadcastable with `x1`.
    dim (int): dimension of the vectors; negative counts from the last. Default: ``1``.
    eps (float): smallest length. Default: ``1e-8``.

Returns:
    Tensor: the broadcast shape without `dim`.

Raises:
    RuntimeError: when the promoted dtype is not a floating one.

Example:
    >>> torch.cosine_similarity(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))
    tensor([0.7071]))",
    .composite = [](const Tensor& x1, const Tensor& x2, int64_t dim, double eps) -> Tensor {
      const Tensor pair[] = {x1, x2};
      const Dtype common = result_type(pair, 2);
      check(is_floating(common), "expected common dtype to be floating point, yet common dtype is {}", common);
      for (const Tensor& t : pair)
        check(!t.is_meta() || x1.device() == x2.device(), "Tensor on device meta is not on the expected device cpu!");
      // Integers are converted to float; a half type keeps its dtype until the product.
      auto floats = [&](const Tensor& t) { return is_integral(t.dtype(), true) ? op<"to.dtype">(t, common) : t; };
      Tensor a = floats(x1), b = floats(x2);
      if (a.sizes() != b.sizes()) {
        const Tensor both[] = {a, b};
        const auto wide = op<"broadcast_tensors", std::vector<Tensor>>(TensorList(both, 2));
        a = wide[0], b = wide[1];
      }
      const Tensor length1 = compute_clamped_norms(a, dim, eps), length2 = compute_clamped_norms(b, dim, eps);
      return op<"sum.dim_IntList">((a / length1) * (b / length2), IntList(&dim, 1));
    },
    .autocast = on_npu(Autocast::fp32),
});

}  // namespace
}  // namespace mt
