// channel_shuffle, native_channel_shuffle: interleave the channels of several groups.
#include "rules/form/rearranged.h"

namespace mt {
namespace {

constexpr auto shuffle_channels = [](const Tensor& self, int64_t groups) -> Tensor {
  check(self.dim() > 2, "channel_shuffle expects input with > 2 dims, but got input with sizes {}", self.sizes());
  const int64_t n = self.size(0), c = self.size(1);
  check(groups > 0, "Number of groups to divide channels in must be positive. Value of groups:{}", groups);
  check(c % groups == 0, "Number of channels must be divisible by groups. Got {} channels and {} groups.", c, groups);
  if (self.numel() == 0) return alias(self, false);
  return rearrange(self, IntList{n, groups, c / groups, self.numel() / (n * c)}, IntList{0, 2, 1, 3}, self.sizes());
};

MT_OP(OpDef{
    .schema = {"channel_shuffle(Tensor self, SymInt groups) -> Tensor"},
    .forms = function,
    .doc = R"(Reorders channels so that each group gives one channel in turn.

The k channels of each of the ``g = groups`` groups come in the order 0, k, 2k, ..., 1, k + 1, ...
(Zhang et al., "ShuffleNet", CVPR 2018).

Args:
    self (Tensor): shape ``(N, C, *)`` with at least three dimensions.
    groups (int): number of groups; divides C.

Returns:
    Tensor: a new tensor with the shape of `self`.

Raises:
    RuntimeError: when `groups` does not divide the number of channels.

Example:
    >>> torch.channel_shuffle(torch.arange(4).view(1, 4, 1), 2).flatten()
    tensor([0, 2, 1, 3]))",
    .cpu = shuffle_channels,
    .npu = {any_device},
    .meta = shuffle_channels,
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self, In<"groups", int64_t> groups) {
                   return op<"channel_shuffle">(g, self.sizes[1] == 0 ? int64_t(1) : self.sizes[1] / *groups);
                 })},
});
MT_OP(OpDef{
    .schema = {"native_channel_shuffle(Tensor self, SymInt groups) -> Tensor"},
    .forms = function,
    .doc = R"(Reorders channels so that each group gives one channel in turn.

The k channels of each of the ``g = groups`` groups come in the order 0, k, 2k, ..., 1, k + 1, ...
(Zhang et al., "ShuffleNet", CVPR 2018). It has no gradient: use ``torch.channel_shuffle``.

Args:
    self (Tensor): shape ``(N, C, *)`` with at least three dimensions.
    groups (int): number of groups; divides C.

Returns:
    Tensor: a new tensor with the shape of `self`.

Raises:
    RuntimeError: when `groups` does not divide the number of channels.

Example:
    >>> torch.native_channel_shuffle(torch.arange(4).view(1, 4, 1), 2).flatten()
    tensor([0, 2, 1, 3]))",
    .cpu = shuffle_channels,
    .npu = {any_device},
    .meta = shuffle_channels,
});

}  // namespace
}  // namespace mt
