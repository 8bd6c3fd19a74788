// _weight_norm_differentiable_backward: the gradients of _weight_norm_interface as operators, for higher derivatives.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_weight_norm_differentiable_backward(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor "
               "saved_norms, int dim) -> (Tensor, Tensor)"},
    .forms = internal,
    .doc = R"(Computes _weight_norm_interface's gradients in differentiable operators.

Gradients of gradients use it.)",
    .composite = [](const Tensor& d, const Tensor& v, const Tensor& g, const Tensor&, int64_t dim) -> Tensors<2> {
      Dims others;
      for (int64_t k = 0; k < v.dim(); ++k)
        if (k != (dim < 0 ? dim + v.dim() : dim)) others.push_back(k);
      // Recomputes the norms, since they depend on v.
      auto sums = [&](const Tensor& t) { return others.empty() ? t : op<"sum.dim_IntList">(t, others, true); };
      const Tensor norms = op<"sqrt">(sums(v * v)), dots = sums(d * v);
      return {{(g / norms) * (d - v * (dots / (norms * norms))), op<"reshape">(dots / norms, g.sizes())}};
    },
});

}  // namespace
}  // namespace mt
