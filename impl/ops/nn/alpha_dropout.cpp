// alpha_dropout, alpha_dropout_: dropout to the negative limit of SELU, which keeps mean and variance.
#include "rules/nn/dropout.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"alpha_dropout(Tensor input, float p, bool train) -> Tensor"},
    .forms = function,
    .doc = R"(Sets elements to the negative limit of SELU with probability `p`, and keeps mean and variance.

Dropped elements become -1.7581; then all are scaled and shifted so that normal inputs keep mean 0
and variance 1 (Klambauer et al., "Self-normalizing neural networks", NeurIPS 2017, section 3). A
`p` of 1 gives zeros. Without `train` the input comes back. The mask comes from the default
generator.

Args:
    input (Tensor): floating tensor of any shape.
    p (float): probability of an element to be dropped; in [0, 1].
    train (bool): whether elements are dropped.

Returns:
    Tensor: shape and dtype of `input`.

Raises:
    RuntimeError: when `p` is outside of [0, 1].

Example:
    >>> torch.alpha_dropout(torch.ones(3), 0.5, train=False)
    tensor([1., 1., 1.]))",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& input, double p, bool train) -> Tensor {
      return drop_out(input, p, train, DropUnit::elements, Replacement::negative_limit);
    },
});
MT_OP(OpDef{
    .schema = {"alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"},
    .forms = function,
    .doc = R"(Drops elements as ``torch.alpha_dropout`` does, in place.

Args:
    self (Tensor): floating tensor of any shape.
    p (float): probability of an element to be dropped; in [0, 1].
    train (bool): whether elements are dropped.

Returns:
    Tensor: `self`.

Example:
    >>> torch.alpha_dropout_(torch.ones(3), 0.5, train=False)
    tensor([1., 1., 1.]))",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, double p,
                    bool train) { drop_out_in_place(self, p, train, DropUnit::elements, Replacement::negative_limit); },
});

}  // namespace
}  // namespace mt
