// pixel_shuffle, pixel_unshuffle: blocks of channels to blocks of pixels, and back.
#include "rules/form/rearranged.h"

namespace mt {
namespace {

void append_dims(Dims& to, std::initializer_list<int64_t> more) {
  for (int64_t n : more) to.push_back(n);
}

constexpr auto shuffle_pixels = [](const Tensor& self, int64_t r) -> Tensor {
  check(self.dim() >= 3, "pixel_shuffle expects input to have at least 3 dimensions, but got input with {} dimension(s)", self.dim());
  check(r > 0, "pixel_shuffle expects a positive upscale_factor, but got {}", r);
  check(r <= 3037000499, ErrorKind::value, "upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={}", r);
  const int64_t n = self.dim() - 3, c = self.size(-3), h = self.size(-2), w = self.size(-1);
  check(c % (r * r) == 0,
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
        "input.size(-3)={} is not divisible by {}",
        c, r * r);
  Dims out, sizes, order;
  for (int64_t d = 0; d < n; ++d) out.push_back(self.size(d)), sizes.push_back(self.size(d)), order.push_back(d);
  append_dims(out, {c / (r * r), h * r, w * r});
  append_dims(sizes, {c / (r * r), r, r, h, w});
  append_dims(order, {n, n + 3, n + 1, n + 4, n + 2});
  return rearrange(self, sizes, order, out);
};
constexpr auto unshuffle_pixels = [](const Tensor& self, int64_t r) -> Tensor {
  check(self.dim() >= 3, "pixel_unshuffle expects input to have at least 3 dimensions, but got input with {} dimension(s)", self.dim());
  check(r > 0, "pixel_unshuffle expects a positive downscale_factor, but got {}", r);
  const int64_t n = self.dim() - 3, c = self.size(-3), h = self.size(-2), w = self.size(-1);
  check(h % r == 0,
        "pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)={} is not divisible by "
        "{}",
        h, r);
  check(w % r == 0, "pixel_unshuffle expects width to be divisible by downscale_factor, but input.size(-1)={} is not divisible by {}", w,
        r);
  if (self.numel() == 0) {  // unchanged: as in torch, an empty result has the input's shape
    BelowAutograd guard;
    return op<"clone">(self);
  }
  Dims out, sizes, order;
  for (int64_t d = 0; d < n; ++d) out.push_back(self.size(d)), sizes.push_back(self.size(d)), order.push_back(d);
  append_dims(out, {c * r * r, h / r, w / r});
  append_dims(sizes, {c, h / r, r, w / r, r});
  append_dims(order, {n, n + 2, n + 4, n + 1, n + 3});
  return rearrange(self, sizes, order, out);
};

MT_OP(OpDef{
    .schema = {"pixel_shuffle(Tensor self, int upscale_factor) -> Tensor"},
    .forms = function,
    .doc = R"(Rearranges channels into blocks of pixels: ``(*, C r^2, H, W)`` becomes ``(*, C, H r, W r)``.

Channel ``c r^2 + i r + j`` gives pixel ``(i, j)`` of each r x r block (Shi et al., "Real-time
single image and video super-resolution using an efficient sub-pixel convolutional neural network",
CVPR 2016).

Args:
    self (Tensor): at least three dimensions; a multiple of r^2 channels.
    upscale_factor (int): r; positive.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when the number of channels is no multiple of r^2.

Example:
    >>> torch.pixel_shuffle(torch.arange(4).view(4, 1, 1), 2)
    tensor([[[0, 1],
             [2, 3]]]))",
    .cpu = shuffle_pixels,
    .npu = {any_device},
    .meta = shuffle_pixels,
    .grad = {wrt("self", [](Grad g, In<"upscale_factor", int64_t> r) { return op<"pixel_unshuffle">(g, *r); })},
});
MT_OP(OpDef{
    .schema = {"pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor"},
    .forms = function,
    .doc = R"(Rearranges blocks of pixels into channels: ``(*, C, H r, W r)`` becomes ``(*, C r^2, H, W)``.

It is the inverse of ``torch.pixel_shuffle``.

Args:
    self (Tensor): at least three dimensions; height and width are multiples of r.
    downscale_factor (int): r; positive.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when height or width is no multiple of r.

Example:
    >>> torch.pixel_unshuffle(torch.arange(4).view(1, 2, 2), 2).flatten()
    tensor([0, 1, 2, 3]))",
    .cpu = unshuffle_pixels,
    .npu = {any_device},
    .meta = unshuffle_pixels,
    .grad = {wrt("self", [](Grad g, In<"downscale_factor", int64_t> r) { return op<"pixel_shuffle">(g, *r); })},
});

}  // namespace
}  // namespace mt
