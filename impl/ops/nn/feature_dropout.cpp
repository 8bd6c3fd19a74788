// feature_dropout, feature_dropout_: dropout of whole channels: one draw for each sample and channel.
#include "rules/nn/dropout.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"feature_dropout(Tensor input, float p, bool train) -> Tensor"},
    .forms = function,
    .doc = R"(Sets whole channels to zero with probability `p` and divides the others by ``1 - p``.

There is one draw for each sample and channel (Tompson et al., "Efficient object localization using
convolutional networks", CVPR 2015). Without `train` the input comes back.
``torch.nn.functional.dropout1d``, ``dropout2d`` and ``dropout3d`` call it.

Args:
    input (Tensor): floating tensor ``(N, C, *)``.
    p (float): probability of a channel to become zero; in [0, 1].
    train (bool): whether channels are dropped.

Returns:
    Tensor: shape and dtype of `input`.

Raises:
    RuntimeError: when `p` is outside of [0, 1] or `input` has fewer than two dimensions.

Example:
    >>> y = torch.feature_dropout(torch.ones(3, 4, 5), 0.5, train=True)
    >>> ((y == 0).all(-1) | (y == 2).all(-1)).all()
    tensor(True))",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& input, double p, bool train) -> Tensor {
      return drop_out(input, p, train, DropUnit::channels, Replacement::zero);
    },
});
MT_OP(OpDef{
    .schema = {"feature_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"},
    .forms = function,
    .doc = R"(Drops whole channels as ``torch.feature_dropout`` does, in place.

Args:
    self (Tensor): floating tensor ``(N, C, *)``.
    p (float): probability of a channel to become zero; in [0, 1].
    train (bool): whether channels are dropped.

Returns:
    Tensor: `self`.

Example:
    >>> torch.feature_dropout_(torch.ones(1, 2), 1.0, train=True)
    tensor([[0., 0.]]))",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, double p, bool train) { drop_out_in_place(self, p, train, DropUnit::channels, Replacement::zero); },
});

}  // namespace
}  // namespace mt
