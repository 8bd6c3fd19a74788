// The gradient of a convolution's weight as one plain product with a matrix of patches.
#include <algorithm>

#include "cpu/buffer.h"
#include "cpu/conv/conv_product.h"
#include "cpu/gemm/gemm.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu::detail {
namespace {

constexpr int64_t max_patch_bytes = int64_t{64} << 20;

// Writes a row for each channel and kernel element: the pixels that all positions of all images read, and zeros outside the image.
void copy_patches(const ConvShape& s, const BFloat16* x, int64_t group, BFloat16* out) {
  const int64_t positions = s.batch * s.out_size(), step = s.stride[2], width = s.out[2];
  parallel_for(0, s.in_channels * s.taps(), std::max<int64_t>(1, 65536 / positions), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t tap = row % s.taps(), channel = row / s.taps();
      const int64_t d = tap / (s.kernel[1] * s.kernel[2]) * s.dilation[0] - s.padding[0];
      const int64_t h = tap / s.kernel[2] % s.kernel[1] * s.dilation[1] - s.padding[1];
      const int64_t first = tap % s.kernel[2] * s.dilation[2] - s.padding[2];  // what position 0 reads
      const int64_t low = std::clamp<int64_t>((step - 1 - first) / step, 0, width);
      const int64_t high = std::clamp<int64_t>(first < s.in[2] ? (s.in[2] - 1 - first) / step + 1 : 0, low, width);
      BFloat16* to = out + row * positions;
      for (int64_t line = 0; line < s.batch * s.out[0] * s.out[1]; ++line, to += width) {
        const int64_t image = line / (s.out[0] * s.out[1]);
        const int64_t plane = line / s.out[1] % s.out[0] * s.stride[0] + d, at = line % s.out[1] * s.stride[1] + h;
        if (plane < 0 || plane >= s.in[0] || at < 0 || at >= s.in[1]) {
          std::fill_n(to, width, BFloat16(0.0f));
          continue;
        }
        const BFloat16* from = x + ((image * s.groups + group) * s.in_channels + channel) * s.in_size() + (plane * s.in[1] + at) * s.in[2] +
                               first;
        std::fill_n(to, low, BFloat16(0.0f));
        if (step == 1)
          std::copy(from + low, from + high, to + low);
        else
          for (int64_t i = low; i < high; ++i) to[i] = from[i * step];
        std::fill_n(to + high, width - high, BFloat16(0.0f));
      }
    }
  });
}

}  // namespace

bool has_small_patches(const ConvShape& s) {
  return s.in_channels * s.taps() * s.batch * s.out_size() * int64_t(sizeof(BFloat16)) <= max_patch_bytes;
}

void weight_gradient_by_patches(const ConvShape& s, const BFloat16* x, const BFloat16* y, BFloat16* w) {
  const int64_t positions = s.batch * s.out_size(), size = s.out_size(), columns = s.in_channels * s.taps();
  Buffer<BFloat16> patches(columns * positions), grads(s.out_channels * positions);
  for (int64_t group = 0; group < s.groups; ++group) {
    copy_patches(s, x, group, patches.data());
    parallel_for(0, s.out_channels * s.batch, std::max<int64_t>(1, 65536 / size), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t channel = i / s.batch, image = i % s.batch;
        std::copy_n(y + ((image * s.groups + group) * s.out_channels + channel) * size, size, grads.data() + i * size);
      }
    });
    gemm<BFloat16>(s.out_channels, columns, positions, 1, {grads.data(), positions, 1}, {patches.data(), 1, positions}, 0,
                   {w + group * s.out_channels * columns, columns, 1});
  }
}

}  // namespace mt::cpu::detail
