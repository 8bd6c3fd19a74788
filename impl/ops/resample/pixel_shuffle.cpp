// pixel_shuffle, pixel_unshuffle: blocks of channels to blocks of pixels, and back.
#include "rules/rearranged.h"

namespace mt {
namespace {

void append(Dims& to, std::initializer_list<int64_t> more) {
  for (int64_t n : more) to.push_back(n);
}

constexpr auto shuffled = [](const Tensor& self, int64_t r) -> Tensor {
  check(self.dim() >= 3,
        "pixel_shuffle expects input to have at least 3 dimensions, but got input with {} dimension(s)", self.dim());
  check(r > 0, "pixel_shuffle expects a positive upscale_factor, but got {}", r);
  check(r <= 3037000499, ErrorKind::value,
        "upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={}", r);
  const int64_t n = self.dim() - 3, c = self.size(-3), h = self.size(-2), w = self.size(-1);
  check(c % (r * r) == 0,
        "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
        "input.size(-3)={} is not divisible by {}",
        c, r * r);
  Dims out, sizes, order;
  for (int64_t d = 0; d < n; ++d) out.push_back(self.size(d)), sizes.push_back(self.size(d)), order.push_back(d);
  append(out, {c / (r * r), h * r, w * r});
  append(sizes, {c / (r * r), r, r, h, w});
  append(order, {n, n + 3, n + 1, n + 4, n + 2});
  return rearranged(self, sizes, order, out);
};
constexpr auto unshuffled = [](const Tensor& self, int64_t r) -> Tensor {
  check(self.dim() >= 3,
        "pixel_unshuffle expects input to have at least 3 dimensions, but got input with {} dimension(s)", self.dim());
  check(r > 0, "pixel_unshuffle expects a positive downscale_factor, but got {}", r);
  const int64_t n = self.dim() - 3, c = self.size(-3), h = self.size(-2), w = self.size(-1);
  check(h % r == 0,
        "pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)={} is not divisible by "
        "{}",
        h, r);
  check(
      w % r == 0,
      "pixel_unshuffle expects width to be divisible by downscale_factor, but input.size(-1)={} is not divisible by {}",
      w, r);
  if (self.numel() == 0) {  // as it is: torch's result has the input's shape
    BelowAutograd guard;
    return op<"clone">(self);
  }
  Dims out, sizes, order;
  for (int64_t d = 0; d < n; ++d) out.push_back(self.size(d)), sizes.push_back(self.size(d)), order.push_back(d);
  append(out, {c * r * r, h / r, w / r});
  append(sizes, {c, h / r, r, w / r, r});
  append(order, {n, n + 2, n + 4, n + 1, n + 3});
  return rearranged(self, sizes, order, out);
};

MT_OP(OpDef{
    .schema = {"pixel_shuffle(Tensor self, int upscale_factor) -> Tensor"},
    .forms = function,
    .doc = "(*, C r^2, H, W) to (*, C, H r, W r), with r = `upscale_factor`.",
    .cpu = shuffled,
    .npu = {any_device},
    .meta = shuffled,
    .grad = {wrt("self", [](Grad g, In<"upscale_factor", int64_t> r) { return op<"pixel_unshuffle">(g, *r); })},
});
MT_OP(OpDef{
    .schema = {"pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor"},
    .forms = function,
    .doc = "(*, C, H r, W r) to (*, C r^2, H, W), with r = `downscale_factor`.",
    .cpu = unshuffled,
    .npu = {any_device},
    .meta = unshuffled,
    .grad = {wrt("self", [](Grad g, In<"downscale_factor", int64_t> r) { return op<"pixel_shuffle">(g, *r); })},
});

}  // namespace
}  // namespace mt
