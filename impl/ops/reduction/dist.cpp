// dist: the p-norm of a difference.
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/reduction/norm.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"dist(Tensor self, Tensor other, Scalar p=2) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the p-norm of `self` - `other`, over all elements.

The tensors broadcast. See `torch.linalg.vector_norm` for the norm and its gradient.

Args:
    self, other (Tensor): floating or complex.
    p (number): the order of the norm. Default: ``2``.

Returns:
    Tensor: a scalar; real.

Example:
    >>> torch.dist(torch.tensor([1.0, 2.0]), torch.tensor([4.0, 6.0]))
    tensor(5.))",
    .rule = rule_after_check(refuse_meta_mixtures),
    .cpu = [](const Tensor& a, const Tensor& b, Scalar p) -> Tensor {
      BelowAutograd guard;
      const Tensor difference = a - b;
      check(is_differentiable(difference.dtype()), messages::norm_of_integers, difference.dtype());
      return op<"linalg_vector_norm">(difference, p);
    },
    .npu = {any_device},
    .meta = [](const Tensor& a, const Tensor& b, Scalar) -> Tensor {
      const Tensor both[] = {a, b};
      broadcast_shapes(a.sizes(), b.sizes());
      return empty({}, real_of(result_type(both, 2)), a.device());
    },
    .sparse = [](const Tensor& a, const Tensor& b, const Scalar& p) -> Tensor {
      BelowAutograd guard;
      return op<"native_norm">(a - b, p);
    },
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt({"self", "other"},
                 [](Grad g, Wanted wanted, In<"self"> a, In<"other"> b, In<"p", Scalar> p, Out<"result"> y) {
                   Tensors<2> out;
                   const Tensor ga = norm_gradient(g, a - b, (*p).to_double(), std::nullopt, false, y);
                   out[0] = ga;
                   if (wanted[1]) out[1] = -ga;
                   return out;
                 })},
});

}  // namespace
}  // namespace mt
