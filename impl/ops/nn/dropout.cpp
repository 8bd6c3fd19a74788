// dropout, dropout_: zeroes elements with probability `p` and divides the others by 1 - p, if `train`.
#include "rules/nn/dropout.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"dropout(Tensor input, float p, bool train) -> Tensor"},
    .forms = function,
    .doc = R"(Sets elements to zero with probability `p` and divides the others by ``1 - p``, when `train` is set.

So the expected value stays (Srivastava et al., "Dropout", JMLR 15, 2014). Without `train` the input
comes back. The mask comes from the default generator, so a seed gives the same one on every run.
``torch.nn.functional.dropout`` has defaults.

Args:
    input (Tensor): floating tensor of any shape.
    p (float): probability of an element to become zero; in [0, 1].
    train (bool): whether elements are dropped.

Returns:
    Tensor: shape and dtype of `input`.

Raises:
    RuntimeError: when `p` is outside of [0, 1].

Example:
    >>> torch.dropout(torch.ones(3), 0.5, train=False)
    tensor([1., 1., 1.])
    >>> y = torch.dropout(torch.ones(100), 0.5, train=True)
    >>> ((y == 0) | (y == 2)).all()
    tensor(True))",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& input, double p, bool train) -> Tensor {
      return drop_out(input, p, train, DropUnit::elements, Replacement::zero);
    },
});
MT_OP(OpDef{
    .schema = {"dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"},
    .forms = function,
    .doc = R"(Drops elements as ``torch.dropout`` does, in place.

Args:
    self (Tensor): floating tensor of any shape.
    p (float): probability of an element to become zero; in [0, 1].
    train (bool): whether elements are dropped.

Returns:
    Tensor: `self`.

Example:
    >>> torch.dropout_(torch.ones(3), 1.0, train=True)
    tensor([0., 0., 0.]))",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, double p, bool train) { drop_out_in_place(self, p, train, DropUnit::elements, Replacement::zero); },
});

}  // namespace
}  // namespace mt
