// The gradient of a convolution's weight: a product whose inner dimension runs over all positions of all images.
#include <type_traits>

#include "../core/half.h"
#include "buffer.h"
#include "conv_gather.h"
#include "conv_product.h"
#include "gemm_choice.h"
#include "parallel.h"

namespace mt::cpu::detail {
namespace {

// Lanes of a panel that lie next to each other in a row of pixels: columns go by (plane, row, element of the kernel, channel).
struct Column {
  int lane, length;
  int64_t plane, line, element;  // offsets; `element` counts channels within the line of pixels
};

// The columns [first, first + lanes) of a group, cut where pixels are not neighbours or a vector ends.
int columns(const ConvShape& s, int64_t first, int lanes, int vector, Column* out) {
  const int64_t run = s.dilation[2] == 1 ? s.kernel[2] * s.in_channels : s.in_channels;
  int n = 0;
  for (int lane = 0; lane < lanes;) {
    const int64_t at = first + lane, tap = at / s.in_channels;
    const int length = int(std::min<int64_t>({run - at % run, lanes - lane, vector}));
    out[n++] = {lane, length, tap / (s.kernel[1] * s.kernel[2]) * s.dilation[0] - s.padding[0],
                tap / s.kernel[2] % s.kernel[1] * s.dilation[1] - s.padding[1],
                (tap % s.kernel[2] * s.dilation[2] - s.padding[2]) * s.in_channels + at % s.in_channels};
    lane += length;
  }
  return n;
}

// Rows [0, stop - start) of a packed panel: the pixels that positions [start, stop) read, from images in channels-last order.
template <class P>
void gather_positions(const ConvShape& s, const P* group, int64_t image_stride, int64_t start, int64_t stop, const Column* list, int n,
                      int64_t width, P* out) {
  const int64_t line = s.in[2] * s.in_channels, step = s.stride[2] * s.in_channels;
  for (int64_t at = start; at < stop;) {
    const int64_t w = at % s.out[2], h = at / s.out[2] % s.out[1], d = at / (s.out[1] * s.out[2]) % s.out[0];
    const int64_t count = std::min(s.out[2] - w, stop - at);
    const P* image = group + at / s.out_size() * image_stride;
    P* to = out + (at - start) * width;
    for (int i = 0; i < n; ++i) {
      const Column& c = list[i];
      const int64_t plane = d * s.stride[0] + c.plane, row = h * s.stride[1] + c.line;
      if (plane < 0 || plane >= s.in[0] || row < 0 || row >= s.in[1]) {
        gather_pixels(image, 0, count, 0, 0, c.length, width, to + c.lane);
        continue;
      }
      const P* pixels = image + (plane * s.in[1] + row) * line;
      const int64_t origin = w * step + c.element;
      // Positions [low, high) read pixels alone; before and after them, parts lie outside.
      const int64_t low = origin >= 0 ? 0 : std::min(count, up(-origin, step));
      const int64_t room = line - c.length - origin;
      const int64_t high = room < 0 ? low : std::clamp(room / step + 1, low, count);
      auto edge = [&](int64_t from, int64_t end) {
        for (int64_t q = from; q < end; ++q) {
          const int64_t element = origin + q * step;
          gather_pixels(pixels + element, 0, 1, int(std::clamp<int64_t>(-element, 0, c.length)),
                        int(std::clamp<int64_t>(line - element, 0, c.length)), c.length, width, to + q * width + c.lane);
        }
      };
      edge(0, low);
      gather_pixels(pixels + origin + low * step, step, high - low, 0, c.length, c.length, width, to + low * width + c.lane);
      edge(high, count);
    }
    at += count;
  }
}

}  // namespace

template <class T>
void weight_product(const ConvShape& s, const T* x, const T* y, T* w) {
  using P = Compute<T>;
  const GemmKernels<P>& kernel = kernels<P>();
  const int64_t mr = kernel.tile_rows, nr = kernel.tile_cols;
  const int64_t size = s.out_size(), positions = s.batch * size, width = s.in_channels * s.taps();
  const int64_t row_panels = up(s.out_channels, mr), col_panels = up(width, nr);

  Buffer<P> pixels(s.batch * s.groups * s.in_channels * s.in_size());
  interleave_channels(x, s.batch * s.groups, s.in_channels, s.in_size(), pixels.data());
  const int64_t image_stride = s.groups * s.in_channels * s.in_size();

  // Panels of rows of the output's gradient, over all positions.
  Buffer<P> left(s.groups * row_panels * mr * positions);
  parallel_for(0, s.groups * row_panels * s.batch, grain_for(mr * size * 8), [&](int64_t begin, int64_t end) {
    Buffer<P> wide(std::is_same_v<T, P> ? 0 : mr * size);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t panel = i / s.batch, image = i % s.batch, group = panel / row_panels, row = panel % row_panels * mr;
      const int64_t rows = std::min(mr, s.out_channels - row);
      const T* from = y + ((image * s.groups + group) * s.out_channels + row) * size;
      P* to = left.data() + (panel * positions + image * size) * mr;
      if constexpr (std::is_same_v<T, P>) {
        kernel.pack_rows(from, size, 1, int(rows), size, to);
      } else {
        for (int64_t j = 0; j < rows * size; ++j) wide.data()[j] = static_cast<P>(from[j]);
        kernel.pack_rows(wide.data(), size, 1, int(rows), size, to);
      }
    }
  });

  // Few columns: positions are cut too, and the parts added in order.
  const int64_t block = std::min<int64_t>(4, col_panels), blocks = up(col_panels, block);
  const int64_t wanted = std::clamp<int64_t>(16 / (blocks * s.groups), 1, std::max<int64_t>(1, positions / 2048));
  const int64_t part = up(positions, wanted), parts = up(positions, part), tile = mr * nr;
  const int64_t group_tiles = row_panels * col_panels * tile;
  Buffer<P> sums(parts * s.groups * group_tiles);
  constexpr int64_t depth_at_once = 256;
  constexpr int vector = gather_bytes / int(sizeof(P));
  parallel_for(0, parts * s.groups * blocks, grain_for(part * mr * row_panels * block * nr), [&](int64_t begin, int64_t end) {
    Buffer<P> right(block * nr * depth_at_once);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = i / (s.groups * blocks), group = i / blocks % s.groups, first_panel = i % blocks * block;
      const int64_t panels = std::min(block, col_panels - first_panel), stop = std::min(positions, (index + 1) * part);
      P* tiles = sums.data() + (index * s.groups + group) * group_tiles;
      for (int64_t start = index * part; start < stop; start += depth_at_once) {
        const int64_t depth = std::min(depth_at_once, stop - start);
        for (int64_t j = 0; j < panels; ++j) {
          Column list[64];
          const int64_t first = (first_panel + j) * nr;
          const int n = columns(s, first, int(std::min(nr, width - first)), vector, list);
          P* packed = right.data() + j * nr * depth_at_once;
          gather_positions(s, pixels.data() + group * s.in_channels * s.in_size(), image_stride, start, start + depth, list, n, nr, packed);
          for (int64_t r = 0; r < row_panels; ++r) {
            const P* a = left.data() + ((group * row_panels + r) * positions + start) * mr;
            kernel.multiply(depth, a, packed, tiles + (r * col_panels + first_panel + j) * tile, start > index * part,
                            int(std::min(mr, s.out_channels - r * mr)), int(std::min(nr, width - first)));
          }
        }
      }
    }
  });

  parallel_for(0, s.groups * s.out_channels, grain_for(width * parts * 4), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / s.out_channels, row = i % s.out_channels;
      const P* row_sums = sums.data() + group * group_tiles + row / mr * col_panels * tile + row % mr * nr;
      for (int64_t tap = 0; tap < s.taps(); ++tap) {
        T* to = w + i * width + tap;
        for (int64_t c = 0; c < s.in_channels;) {
          const int64_t col = tap * s.in_channels + c, count = std::min(s.in_channels - c, nr - col % nr);
          const P* from = row_sums + col / nr * tile + col % nr;
          for (int64_t j = 0; j < count; ++j) {
            P total = from[j];
            for (int64_t index = 1; index < parts; ++index) total += from[index * s.groups * group_tiles + j];
            to[(c + j) * s.taps()] = static_cast<T>(total);
          }
          c += count;
        }
      }
    }
  });
}

template void weight_product<float>(const ConvShape&, const float*, const float*, float*);
template void weight_product<double>(const ConvShape&, const double*, const double*, double*);
template void weight_product<Half>(const ConvShape&, const Half*, const Half*, Half*);
template void weight_product<BFloat16>(const ConvShape&, const BFloat16*, const BFloat16*, BFloat16*);

}  // namespace mt::cpu::detail
