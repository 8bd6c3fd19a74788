// selu: elu scaled to keep mean and variance (Klambauer et al. 2017).
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"selu(Tensor self) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the scaled exponential linear unit, which keeps mean 0 and variance 1 through layers.

``scale * (max(0, x) + min(0, alpha * (exp(x) - 1)))`` with alpha = 1.6732632423543772 and scale =
1.0507009873554805 (Klambauer et al., "Self-normalizing neural networks", NeurIPS 2017).

Args:
    self (Tensor): floating tensor.

Returns:
    Tensor: shape and dtype of `self`; the in-place form returns `self`.

Example:
    >>> torch.selu(torch.tensor([1.0, -1.0]))
    tensor([ 1.0507, -1.1113]))",
    .composite = [](const Tensor& self) -> Tensor {
      return op<"elu">(self, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1.0);
    },
});

MT_OP(OpDef{
    .schema = {"selu_(Tensor(a!) self) -> Tensor(a!)"},
    .forms = function,
    .doc = R"(Computes ``torch.selu`` in place.

Args:
    self (Tensor): floating tensor.

Returns:
    Tensor: `self`.

Example:
    >>> torch.selu_(torch.tensor([1.0, -1.0]))
    tensor([ 1.0507, -1.1113]))",
    .composite = [](const Tensor& self) { op<"elu_">(self, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1.0); },
});

}  // namespace
}  // namespace mt
