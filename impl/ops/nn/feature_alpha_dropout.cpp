// feature_alpha_dropout, feature_alpha_dropout_: alpha_dropout of whole channels: one draw for each sample and channel.
#include "rules/nn/dropout.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor"},
    .forms = function,
    .doc = R"(Drops whole channels as ``torch.alpha_dropout`` drops elements.

There is one draw for each sample and channel.

Args:
    input (Tensor): floating tensor ``(N, C, *)``.
    p (float): probability of a channel to be dropped; in [0, 1].
    train (bool): whether channels are dropped.

Returns:
    Tensor: shape and dtype of `input`.

Raises:
    RuntimeError: when `p` is outside of [0, 1] or `input` has fewer than two dimensions.

Example:
    >>> torch.feature_alpha_dropout(torch.ones(1, 2, 2), 0.5, train=False)
    tensor([[[1., 1.],
             [1., 1.]]]))",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& input, double p, bool train) -> Tensor {
      return drop_out(input, p, train, DropUnit::channels, Replacement::negative_limit);
    },
});
MT_OP(OpDef{
    .schema = {"feature_alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"},
    .forms = function,
    .doc = R"(Drops whole channels as ``torch.feature_alpha_dropout`` does, in place.

Args:
    self (Tensor): floating tensor ``(N, C, *)``.
    p (float): probability of a channel to be dropped; in [0, 1].
    train (bool): whether channels are dropped.

Returns:
    Tensor: `self`.

Example:
    >>> torch.feature_alpha_dropout_(torch.ones(1, 2), 0.5, train=False)
    tensor([[1., 1.]]))",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, double p,
                    bool train) { drop_out_in_place(self, p, train, DropUnit::channels, Replacement::negative_limit); },
});

}  // namespace
}  // namespace mt
