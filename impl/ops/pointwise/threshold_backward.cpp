// threshold_backward: the gradient where the input exceeds a threshold.
#include "core/no_kernel.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto threshold_backward_of = [](auto g, auto x, auto t) { return x <= t ? decltype(g)(0) : g; };

MT_OP(OpDef{
    .schema = {"threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor"},
    .forms = internal | out,
    .form_overloads = {{"out", "grad_input(grad_input)"}},
    .doc = R"(Computes `grad_output` where `self` > `threshold`, else 0.

It is the gradient of relu and threshold.)",
    .rule = pointwise(promoting),
    .cpu = elementwise<threshold_backward_of, 3, dtypes::real>("threshold_cpu"),
    .npu = {"ThresholdBackward"},
    .sparse = [](const Tensor& grad, const Tensor& self, const Scalar& threshold) -> Tensor {
      check(is_sparse(self), "is_coalesced expected sparse coordinate tensor layout but got Strided");
      if (!is_sparse(grad)) fail_without_kernel("aten::_nnz", "CPU", "");
      BelowAutograd guard;
      const bool none = nnz(grad) == 0 && nnz(self) > 0;
      const Tensor given = coalesce(none ? with_values(self, op<"zeros_like">(components_of(self).values)) : grad);
      const Tensor values = op<"threshold_backward">(components_of(given).values, components_of(coalesce(self)).values, threshold);
      return coo_tensor(op<"clone">(components_of(given).indices), values, given.sizes(), true);
    },
    .compressed = [](const Tensor& g, const Tensor& x, const Scalar& t) -> Tensor {
      check(is_sparse(g) && is_sparse(x), "threshold_backward: expected two sparse compressed tensors");
      BelowAutograd guard;
      return with_values(x, op<"threshold_backward">(components_of(g).values, components_of(x).values, t));
    },
    .grad = {wrt("grad_output", [](Grad g, In<"self"> x, In<"threshold", Scalar> t) { return op<"threshold_backward">(g, x, *t); }),
             wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
