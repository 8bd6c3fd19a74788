// _dirichlet_grad: the derivative of a beta sample with respect to one of its parameters, at fixed randomness (implicit
// reparameterisation).
#include "core/messages.h"
#include "rules/random/beta_gradient.h"
#include "rules/reduction/rows.h"

namespace mt {
namespace {

constexpr auto compute_dirichlet_grad = [](const Tensor& x, const Tensor& alpha, const Tensor& total) -> Tensor {
  check(x.dtype() == alpha.dtype() && x.dtype() == total.dtype(), messages::found_dtype_but_expected,
        alpha.dtype() == x.dtype() ? total.dtype() : alpha.dtype(), x.dtype());
  const Dims sizes = broadcast_shapes(broadcast_shapes(x.sizes(), alpha.sizes()), total.sizes());
  Tensor out = empty(sizes, x.dtype(), x.device());
  if (out.is_meta()) return out;
  if (x.dtype() != Dtype::float32 && x.dtype() != Dtype::float64) not_implemented_for("_dirichlet_grad_cpu", x.dtype());
  BelowAutograd guard;
  auto wide = [&](const Tensor& t) { return dense_as(op<"expand">(t, sizes), Dtype::float64); };
  const Tensor points = wide(x), a = wide(alpha), sum = wide(total);
  const Tensor psi_a = op<"digamma">(a), psi_sum = op<"digamma">(sum), result = empty(sizes, Dtype::float64);
  for_rows(result.numel(), 64, [&](int64_t i) {
    result.data<double>()[i] = beta_gradient(points.data<double>()[i], a.data<double>()[i], sum.data<double>()[i],
                                             {psi_a.data<double>()[i], psi_sum.data<double>()[i]});
  });
  copy_into(out, result);
  return out;
};

MT_OP(OpDef{
    .schema = {"_dirichlet_grad(Tensor x, Tensor alpha, Tensor total) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the derivative of a Dirichlet number by its concentration, at fixed randomness.

The part through the sum is left out. ``torch.distributions.Dirichlet.rsample`` uses it.)",
    .cpu = compute_dirichlet_grad,
    .meta = compute_dirichlet_grad,
});

}  // namespace
}  // namespace mt
