// The gradient of a convolution's weight with output channels in the vector lanes. Rows of a tile are kernel elements, whose pixels are
// broadcast from a padded copy in place: nothing is gathered, and sums are stored directly.
#include <algorithm>

#include "cpu/buffer.h"
#include "cpu/conv/conv_in_place.h"
#include "cpu/copy/words_avx512.h"

namespace mt::cpu::detail {

#if MT_HAS_X86_TARGETS
namespace {

constexpr int64_t depth_per_pass = 256;  // short sums limit the rounding error
constexpr int64_t panel_depth = 1536;  // of a panel of gradients, which stays in the L2 cache
constexpr int64_t max_block_rows = 192;  // whose sums stay in the L1 cache

struct Pass {
  std::vector<Steps> steps;
  int64_t count = 0;  // of all steps
};

// Lists all output positions, line by line, as steps of the inner dimension; a step is one position, or a pair for bfloat16.
std::vector<Pass> passes_of(const InPlaceLayout& source, int64_t pair) {
  const ProductShape& p = source.p;
  std::vector<Pass> passes(1);
  for (int64_t line = 0; line < p.images * p.count[0] * p.count[1]; ++line) {
    const int64_t image = line / (p.count[0] * p.count[1]), d = line / p.count[1] % p.count[0], h = line % p.count[1];
    const int64_t from = (image * source.image + (d * source.extent[1] + h) * source.step) / pair, width = p.count[2] / pair;
    for (int64_t at = 0, n; at < width; at += n) {
      n = std::min(width - at, depth_per_pass);
      if (passes.back().count + n > depth_per_pass) passes.emplace_back();
      passes.back().steps.push_back({from + at, n});
      passes.back().count += n;
    }
  }
  return passes;
}

}  // namespace

template <class T>
bool fills_weight_lanes(const ConvShape& s) {
  const GemmKernels<T>& kernel = kernels<T>();
  return kernel.multiply_positions != nullptr && s.out[2] % kernel.group == 0 &&
         10 * s.out_channels >= 9 * round_up(s.out_channels, kernel.lanes);
}

template <class T>
bool weight_gradient_by_positions(const ConvProduct<T>& p, const T* y, T* w) {
  const GemmKernels<T>& kernel = kernels<T>();
  const int64_t mr = kernel.tile_rows, nr = kernel.tile_cols, pair = kernel.group;
  const InPlace<T> source(p, pair);
  if (!source.has_small_copy()) return false;
  Buffer<T> pixels(p.images * source.image);
  source.copy(p.source, pixels.data());

  const int64_t grid = p.grid(), depth = p.images * grid / pair, panels = divide_up(p.rows, nr);
  Buffer<float> grads(p.groups * panels * depth * nr);
  parallel_for(0, p.groups * panels * p.images, grain_for(nr * grid * 4), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i % p.images, panel = i / p.images % panels, group = i / p.images / panels, row = panel * nr;
      kernel.pack_cols(y + ((image * p.groups + group) * p.rows + row) * grid, grid, 1, int(std::min(nr, p.rows - row)), grid,
                       grads.data() + ((group * panels + panel) * depth + image * grid / pair) * nr);
    }
  });

  const std::vector<Pass> passes = passes_of(source, pair);
  const int64_t taps = int64_t(p.taps.size()), rows = p.channels * taps, some = even_chunk_length(rows, max_block_rows, mr),
                blocks = divide_up(rows, some);
  parallel_for(0, p.groups * panels * blocks, grain_for(some * nr * depth), [&](int64_t begin, int64_t end) {
    alignas(64) static constexpr float zeros[64] = {};
    Buffer<float> sums(some * nr);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / (panels * blocks), panel = i / blocks % panels, row = i % blocks * some, count = std::min(some, rows - row);
      const int lanes = int(std::min(nr, p.rows - panel * nr));
      const float* at[max_block_rows + 16];
      for (int64_t r = 0; r < round_up(count, mr); ++r) {
        const int64_t element = std::min(row + r, rows - 1), channel = group * p.channels + element / taps;
        at[r] = reinterpret_cast<const float*>(pixels.data() + channel * source.channel + source.offset[size_t(element % taps)]);
      }
      const float* b = grads.data() + (group * panels + panel) * depth * nr;
      for (size_t first = 0, last; first < passes.size(); first = last) {
        int64_t done = 0;
        for (last = first; last < passes.size() && (last == first || done + passes[last].count <= panel_depth); ++last)
          done += passes[last].count;
        for (int64_t r = 0; r < count; r += mr) {
          const float* from = b;
          for (size_t k = first; k < last; from += passes[k++].count * nr)
            kernel.multiply_positions(passes[k].steps.data(), int(passes[k].steps.size()), at + r, from, sums.data() + r * nr,
                                      k == 0 ? zeros : nullptr, int(std::min(mr, count - r)), lanes);
        }
        b += done * nr;
      }
      T* const to = w + (group * p.rows + panel * nr) * rows + row;
      if constexpr (std::is_same_v<T, BFloat16>)
        transpose_rounded(sums.data(), nr, count, lanes, to, rows);
      else
        transpose_words_apart(sums.data(), nr * 4, count, lanes * 4, rows, to);
    }
  });
  return true;
}
#else
template <class T>
bool fills_weight_lanes(const ConvShape&) {
  return false;
}
template <class T>
bool weight_gradient_by_positions(const ConvProduct<T>&, const T*, T*) {
  return false;
}
#endif

template bool fills_weight_lanes<float>(const ConvShape&);
template bool fills_weight_lanes<BFloat16>(const ConvShape&);
template bool weight_gradient_by_positions<float>(const ConvProduct<float>&, const float*, float*);
template bool weight_gradient_by_positions<BFloat16>(const ConvProduct<BFloat16>&, const BFloat16*, BFloat16*);

}  // namespace mt::cpu::detail
