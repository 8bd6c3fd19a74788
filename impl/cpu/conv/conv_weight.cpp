// The gradient of a convolution's weight: a product whose inner dimension runs over all positions of all images.
#include "cpu/buffer.h"
#include "cpu/conv/conv_gather.h"
#include "cpu/conv/conv_product.h"
#include "cpu/gemm/gemm_choice.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu::detail {
namespace {

// Lanes of a panel that are contiguous in a row of pixels; columns are ordered by (plane, row, kernel element, channel).
struct Column {
  int lane, length;
  int64_t offset;  // from the pixel of the kernel's first element
};

// The part of the padded image that positions read, in channels-last order.
struct Extent {
  int64_t pixels[3];
  explicit Extent(const ConvShape& s) {
    for (int i = 0; i < 3; ++i) pixels[i] = (s.out[i] - 1) * s.stride[i] + (s.kernel[i] - 1) * s.dilation[i] + 1;
  }
  int64_t size() const { return pixels[0] * pixels[1] * pixels[2]; }
};

// Lists the columns [first, first + lanes) of a group, split where pixels are not neighbours or a vector ends.
int list_columns(const ConvShape& s, const Extent& extent, int64_t first, int lanes, int vector, Column* out) {
  const int64_t run = s.dilation[2] == 1 ? s.kernel[2] * s.in_channels : s.in_channels;
  int n = 0;
  for (int lane = 0; lane < lanes;) {
    const int64_t at = first + lane, tap = at / s.in_channels;
    const int64_t plane = tap / (s.kernel[1] * s.kernel[2]) * s.dilation[0], line = tap / s.kernel[2] % s.kernel[1] * s.dilation[1];
    const int length = int(std::min<int64_t>({run - at % run, lanes - lane, vector}));
    const int64_t pixel = (plane * extent.pixels[1] + line) * extent.pixels[2] + tap % s.kernel[2] * s.dilation[2];
    out[n++] = {lane, length, pixel * s.in_channels + at % s.in_channels};
    lane += length;
  }
  return n;
}

}  // namespace

template <class T>
void weight_gradient_by_product(const ConvShape& s, const T* x, const T* y, T* w) {
  const GemmKernels<T>& kernel = kernels<T>();
  const int64_t mr = kernel.tile_rows, nr = kernel.tile_cols;
  const int64_t size = s.out_size(), positions = s.batch * size, width = s.in_channels * s.taps();
  const int64_t row_panels = divide_up(s.out_channels, mr), col_panels = divide_up(width, nr), tile = mr * nr;

  const Extent extent(s);
  const int64_t line = extent.pixels[2] * s.in_channels, image_size = extent.size() * s.in_channels;
  Buffer<T> pixels(s.batch * s.groups * image_size);
  interleave_padded(x, s.batch * s.groups, s.in_channels, s.in, s.padding, extent.pixels, pixels.data());

  // A group's sums stay in the cache while positions pass, so that pixels are read from memory once. If that gives too few pieces,
  // positions are split as well and partial sums are added in order.
  constexpr int64_t sums_at_once = int64_t{1} << 20, depth_at_once = 256;
  const int64_t most = std::max<int64_t>(4, sums_at_once / (row_panels * tile * int64_t(sizeof(T))));
  const int64_t blocks = divide_up(col_panels, most), block = divide_up(col_panels, blocks);
  const int64_t wanted = std::clamp<int64_t>(16 / (blocks * s.groups), 1, std::max<int64_t>(1, positions / 2048));
  const int64_t part = divide_up(positions, wanted), parts = divide_up(positions, part);
  const int64_t group_tiles = row_panels * col_panels * tile;
  Buffer<T> sums(parts * s.groups * group_tiles);
  constexpr int vector = gather_bytes / int(sizeof(T));
  parallel_for(0, parts * s.groups * blocks, grain_for(part * mr * row_panels * block * nr), [&](int64_t begin, int64_t end) {
    Buffer<T> left(row_panels * mr * depth_at_once), right(nr * depth_at_once);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = i / (s.groups * blocks), group = i / blocks % s.groups, first_panel = i % blocks * block;
      const int64_t last_panel = std::min(col_panels, first_panel + block), stop = std::min(positions, (index + 1) * part);
      T* tiles = sums.data() + (index * s.groups + group) * group_tiles;
      for (int64_t start = index * part; start < stop;) {
        // Takes positions of one line at a time, or several whole lines of one plane.
        const int64_t w_at = start % s.out[2], h = start / s.out[2] % s.out[1], d = start / (s.out[1] * s.out[2]) % s.out[0];
        const int64_t image = start / size * s.groups + group;
        const int64_t count = std::min({s.out[2] - w_at, stop - start, depth_at_once});
        const int64_t lines = count < s.out[2] ? 1 : std::min({s.out[1] - h, (stop - start) / count, depth_at_once / count});
        const int64_t depth = lines * count;
        for (int64_t r = 0; r < row_panels; ++r) {
          const int rows = int(std::min(mr, s.out_channels - r * mr));
          const T* from = y + (image * s.out_channels + r * mr) * size + start % size;
          T* to = left.data() + r * mr * depth;
          kernel.pack_rows(from, size, 1, rows, depth, to);
        }
        const T* origin = pixels.data() + image * image_size + (d * s.stride[0] * extent.pixels[1] + h * s.stride[1]) * line +
                          w_at * s.stride[2] * s.in_channels;
        for (int64_t j = first_panel; j < last_panel; ++j) {
          Column list[64];
          const int lanes = int(std::min(nr, width - j * nr)), n = list_columns(s, extent, j * nr, lanes, vector, list);
          for (int64_t l = 0; l < lines; ++l)
            for (int c = 0; c < n; ++c)
              gather_pixels(origin + l * s.stride[1] * line + list[c].offset, s.stride[2] * s.in_channels, count, list[c].length, nr,
                            right.data() + l * count * nr + list[c].lane);
          for (int64_t r = 0; r < row_panels; ++r)
            kernel.multiply(depth, left.data() + r * mr * depth, right.data(), tiles + (r * col_panels + j) * tile, start > index * part,
                            int(std::min(mr, s.out_channels - r * mr)), lanes);
        }
        start += depth;
      }
    }
  });

  parallel_for(0, s.groups * s.out_channels, grain_for(width * parts * 4), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / s.out_channels, row = i % s.out_channels;
      const T* row_sums = sums.data() + group * group_tiles + row / mr * col_panels * tile + row % mr * nr;
      for (int64_t tap = 0; tap < s.taps(); ++tap) {
        T* to = w + i * width + tap;
        for (int64_t c = 0; c < s.in_channels;) {
          const int64_t col = tap * s.in_channels + c, count = std::min(s.in_channels - c, nr - col % nr);
          const T* from = row_sums + col / nr * tile + col % nr;
          for (int64_t j = 0; j < count; ++j) {
            T total = from[j];
            for (int64_t index = 1; index < parts; ++index) total += from[index * s.groups * group_tiles + j];
            to[(c + j) * s.taps()] = total;
          }
          c += count;
        }
      }
    }
  });
}

template void weight_gradient_by_product<float>(const ConvShape&, const float*, const float*, float*);
template void weight_gradient_by_product<double>(const ConvShape&, const double*, const double*, double*);

}  // namespace mt::cpu::detail
