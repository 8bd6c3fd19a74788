// Convolutions with channels in the lanes of vectors: pixels are read where they lie in a padded channels-last copy, so that lines of any
// length, strides and dilations leave no lane without work.
#include <algorithm>
#include <cstring>

#include "buffer.h"
#include "conv_gather.h"
#include "conv_product.h"
#include "gemm_choice.h"
#include "parallel.h"
#include "words_avx512.h"

namespace mt::cpu::detail {

#if MT_HAS_X86_TARGETS
namespace {

constexpr int64_t most_positions = 192;     // of a block, whose sums stay in the caches
constexpr int64_t panel_floats = 64 << 10;  // of weights that stay in the second-level cache
constexpr int64_t most_pixels = 256 << 10;  // words of the copies of images
constexpr int64_t depth_at_once = 256;      // short sums, for their rounding

// What a run of steps reads, as far as it decides whether that is outside of the image.
struct Line {
  int64_t plane, line;
};

// Steps, panels and pixels are counted in words: of a channel each, or of a pair of bfloat16 ones.
template <class T>
struct ByPositions {
  const ConvProduct<T>& p;
  const GemmKernels<T>& kernel = kernels<T>();
  const int64_t nr = kernel.tile_cols, mr = kernel.tile_rows, pair = kernel.group, channels = p.channels / pair;
  const int64_t depth = int64_t(p.taps.size()) * channels, panels = up(p.rows, nr);
  const int64_t grid = p.count[0] * p.count[1] * p.count[2], positions = p.images * grid;
  // A pixel's channels lie in blocks of about 64, which are images of their own: the rows of a tile fall into many sets of the cache.
  int64_t blocks = up(channels, 64), block;
  int64_t before[3], extent[3];  // of a padded image
  int64_t image;                 // words of a block of one
  std::vector<int64_t> slots;    // of a panel, by blocks and taps: the row where its channels begin
  struct Pass {
    std::vector<Steps> steps;
    std::vector<Line> lines;
  };
  std::vector<Pass> passes;

  explicit ByPositions(const ConvProduct<T>& product) : p(product), slots(p.taps.size() * size_t(blocks)) {
    if (channels % blocks != 0) blocks = 1, slots.resize(p.taps.size());
    block = channels / blocks;
    for (int i = 0; i < 3; ++i) {
      int64_t low = 0, high = 0;
      for (const Tap& tap : p.taps) low = std::min(low, tap.offset[i]), high = std::max(high, tap.offset[i]);
      before[i] = -low;
      extent[i] = (p.count[i] - 1) * p.step[i] + high - low + 1;
    }
    image = extent[0] * extent[1] * extent[2] * block;
    // By planes and lines, so that those outside of the image come together, then by blocks and pixels. Taps come in this order or in the
    // opposite one.
    const int64_t taps = int64_t(p.taps.size());
    const bool falls = std::lexicographical_compare(p.taps.back().offset, p.taps.back().offset + 3, p.taps[0].offset, p.taps[0].offset + 3);
    const auto tap_at = [&](int64_t i) -> const Tap& { return p.taps[size_t(falls ? taps - 1 - i : i)]; };
    std::vector<int64_t> order;
    for (int64_t first = 0, next; first < taps; first = next) {
      for (next = first + 1; next < taps && std::equal(tap_at(first).offset, tap_at(first).offset + 2, tap_at(next).offset);) ++next;
      for (int64_t b = 0; b < blocks; ++b)
        for (int64_t i = first; i < next; ++i) order.push_back(b * taps + (&tap_at(i) - p.taps.data()));
    }
    const int64_t most = even_part(depth, depth_at_once, 8);
    for (int64_t at = 0, left = 0; at < depth;) {
      if (left == 0) passes.emplace_back(), left = most;
      const int64_t pair = order[size_t(at / block)], c = at % block, n = std::min(block - c, left);
      const int64_t* const offset = p.taps[size_t(pair % taps)].offset;
      const int64_t from = pair / taps * image + pixel(offset[0] + before[0], offset[1] + before[1], offset[2] + before[2]) + c;
      if (c == 0) slots[size_t(pair)] = at;
      std::vector<Steps>& steps = passes.back().steps;
      std::vector<Line>& lines = passes.back().lines;
      if (!steps.empty() && steps.back().offset + steps.back().count == from && lines.back().line == offset[1]) {
        steps.back().count += n;
      } else {
        steps.push_back({from, n});
        lines.push_back({offset[0], offset[1]});
      }
      at += n, left -= n;
    }
  }
  int64_t pixel(int64_t d, int64_t h, int64_t w) const { return ((d * extent[1] + h) * extent[2] + w) * block; }

  // One panel of weights: rows of lanes, in the order of the steps.
  void pack(int64_t group, int64_t row, float* out) const {
    int64_t all = 0;
    for (const Tap& tap : p.taps) all = std::max(all, tap.kernel_index + 1);
    const int lanes = int(std::min(nr, p.rows - row));
    const T* const weight = p.weight + group * p.weight_group_stride + row * p.weight_row_stride;
    const int64_t at_once = std::clamp<int64_t>(256 / all, 1, block);
    Buffer<float> turned(at_once * all * nr);
    for (int64_t c = 0, count; c < channels; c += count) {
      count = std::min(at_once, block - c % block);
      const T* const from = weight + c * pair * p.weight_channel_stride;
      const auto slot = [&](size_t t) { return out + (slots[size_t(c / block) * p.taps.size() + t] + c % block) * nr; };
      if (all == 1) {
        kernel.pack_cols(from, p.weight_row_stride, p.weight_channel_stride, lanes, count * pair, slot(0));
        continue;
      }
      if (p.weight_channel_stride == all) {
        kernel.pack_cols(from, p.weight_row_stride, 1, lanes, count * pair * all, turned.data());
      } else {
        for (int64_t i = 0; i < count; ++i) {
          const T* const first = from + i * pair * p.weight_channel_stride;
          if constexpr (std::is_same_v<T, BFloat16>)
            transpose_pairs(first, first + p.weight_channel_stride, p.weight_row_stride, lanes, all, nr, turned.data() + i * all * nr);
          else
            kernel.pack_cols(first, p.weight_row_stride, 1, lanes, all, turned.data() + i * all * nr);
        }
      }
      for (size_t t = 0; t < p.taps.size(); ++t) {
        const int64_t k = p.taps[t].kernel_index;
        if (pair == 2 && p.weight_channel_stride == all) {
          join_halves(turned.data(), k, k + all, all, count, slot(t));
          continue;
        }
        float* to = slot(t);
        const float* row_of = turned.data() + k * nr;
        for (int64_t i = 0; i < count; ++i, to += nr, row_of += all * nr) std::memcpy(to, row_of, 128);
      }
    }
  }

  // The sums of `count` positions from `first` on, in rows of lanes, to their places.
  void store(int64_t group, int64_t row, int64_t first, int64_t count, const float* sums) const {
    const int64_t rows = std::min(nr, p.rows - row);
    T* const target = p.target + (group * p.rows + row) * p.target_channel_stride;
    const bool together = p.target_stride[2] == 1 && p.target_stride[1] == p.count[2] && p.target_stride[0] == p.count[1] * p.count[2];
    for (int64_t i = 0; i < count;) {
      const int64_t at = first + i, d = at / (p.count[1] * p.count[2]) % p.count[0], h = at / p.count[2] % p.count[1], w = at % p.count[2];
      const int64_t length = std::min(count - i, together ? grid - at % grid : p.count[2] - w);
      T* const to =
          target + at / grid * p.target_image_stride + d * p.target_stride[0] + h * p.target_stride[1] + w * p.target_stride[2];
      if constexpr (std::is_same_v<T, BFloat16>) {
        if (p.target_stride[2] == 1) {
          transpose_rounded(sums + i * nr, nr, length, rows, to, p.target_channel_stride);
        } else {
          BFloat16 turned[64 * most_positions];
          transpose_rounded(sums + i * nr, nr, length, rows, turned, length);
          for (int64_t c = 0; c < rows; ++c)
            for (int64_t j = 0; j < length; ++j) to[c * p.target_channel_stride + j * p.target_stride[2]] = turned[c * length + j];
        }
      } else if (p.target_stride[2] == 1) {
        transpose_words_apart(sums + i * nr, nr * 4, length, rows * 4, p.target_channel_stride, to);
      } else {
        for (int64_t c = 0; c < rows; ++c)
          for (int64_t j = 0; j < length; ++j) to[c * p.target_channel_stride + j * p.target_stride[2]] = sums[(i + j) * nr + c];
      }
      i += length;
    }
  }

  // The rows of a tile, and which planes and lines they are at, where that is one plane; else a plane that all read.
  struct Tile {
    int64_t plane, first_line, last_line;
    bool is_whole, has_sums;
  };
  bool is_outside(const Line& l, const Tile& t) const {
    const int64_t plane = t.plane + l.plane;
    return t.is_whole && (plane < 0 || plane >= p.planes || t.last_line + l.line < 0 || t.first_line + l.line >= p.lines);
  }

  // `n` panels of weights, from `panel` on, against `count` positions from `first` on.
  void run(const float* pixels, const float* b, int64_t group, int64_t panel, int64_t n, int64_t first, int64_t count, float* sums) const {
    const float* at[most_positions + 16];
    Tile tiles[most_positions / 4];
    int64_t i = 0;
    for (; i < count;) {
      const int64_t q = first + i, d = q / (p.count[1] * p.count[2]) % p.count[0], h = q / p.count[2] % p.count[1], w = q % p.count[2];
      const float* from = pixels + (q / grid * p.groups + group) * blocks * image + pixel(d * p.step[0], h * p.step[1], w * p.step[2]);
      const int64_t stop = std::min(count, i + p.count[2] - w), plane = d * p.step[0], line = h * p.step[1];
      for (int64_t t = i / mr; t * mr < stop; ++t) {
        if (t * mr >= i)
          tiles[t] = {plane, line, line, true, false};
        else
          tiles[t].last_line = line, tiles[t].is_whole &= h > 0;  // else another plane begins within the tile
      }
      for (; i < stop; ++i, from += p.step[2] * block) at[i] = from;
    }
    for (; i < round_up(count, mr); ++i) at[i] = at[count - 1];
    for (const int64_t stop = panel + n; panel < stop; ++panel) {
      const int64_t row = panel * nr, lanes = std::min(nr, p.rows - row);
      float start[64] = {};
      for (int64_t lane = 0; p.bias && lane < lanes; ++lane) start[lane] = static_cast<float>(p.bias[group * p.rows + row + lane]);
      for (i = 0; i < count; i += mr) tiles[i / mr].has_sums = false;
      // Some passes at a time, whose weights stay in the caches from tile to tile.
      for (size_t pass = 0, end; pass < passes.size(); pass = end) {
        end = std::min(passes.size(), pass + 4);
        const float* from = b;
        for (i = 0; i < count; i += mr) {
          Tile& tile = tiles[i / mr];
          from = b;
          for (size_t k = pass; k < end; ++k) {
            const Pass& now = passes[k];
            // Runs of steps that read any pixel.
            for (size_t s = 0, next; s < now.steps.size(); s = next) {
              const bool outside = is_outside(now.lines[s], tile);
              int64_t done = 0;
              for (next = s; next < now.steps.size() && is_outside(now.lines[next], tile) == outside; ++next) done += now.steps[next].count;
              if (!outside) {
                kernel.multiply_positions(now.steps.data() + s, int(next - s), at + i, from, sums + i * nr, tile.has_sums ? nullptr : start,
                                          int(std::min(mr, count - i)), int(lanes));
                tile.has_sums = true;
              }
              from += done * nr;
            }
          }
        }
        b = from;
      }
      for (i = 0; i < count; ++i)
        if (!tiles[i / mr].has_sums) std::copy_n(start, nr, sums + i * nr);
      store(group, row, first, count, sums);
    }
  }
};

}  // namespace

template <class T>
void run_by_positions(const ConvProduct<T>& p) {
  const ByPositions<T> job(p);
  if (job.positions == 0 || p.rows == 0 || p.groups == 0) return;
  const int64_t nr = job.nr, panels = job.panels, depth = job.depth;
  // Some images at a time, whose copies stay in a cache.
  const int64_t one = p.groups * job.blocks * job.image, fit = std::max<int64_t>(1, most_pixels / one);
  if (fit < p.images) {
    for (int64_t first = 0; first < p.images; first += fit) {
      ConvProduct<T> some = p;
      some.images = std::min(fit, p.images - first);
      some.source += first * p.source_image_stride;
      some.target += first * p.target_image_stride;
      run_by_positions(some);
    }
    return;
  }
  const int64_t images = p.images * p.groups * job.blocks;
  Buffer<float> pixels(images * job.image);
  const int64_t size[3] = {p.planes, p.lines, p.line_stride};
  interleave_padded(p.source, images, job.block * job.pair, size, job.before, job.extent, reinterpret_cast<T*>(pixels.data()));
  const int64_t some = even_part(job.positions, most_positions, job.mr), blocks = up(job.positions, some);
  // Weights that are many, beside the pixels: a panel is packed by the thread that takes it past all positions, in whose cache it stays.
  const int64_t panel_size = depth * nr, size_of_all = p.groups * panels * panel_size;
  const bool packs_first = p.groups * panels < 8 || size_of_all < 2 * panel_floats || panels * images * job.image > blocks * size_of_all;
  Buffer<float> weights(packs_first ? size_of_all : 0);
  if (packs_first)
    parallel_for(0, p.groups * panels, grain_for(panel_size * 8), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) job.pack(i / panels, i % panels * nr, weights.data() + i * panel_size);
    });
  const int64_t piece = packs_first ? even_part(panels, std::max<int64_t>(1, panel_floats / panel_size), 1) : 1, pieces = up(panels, piece);
  const int64_t parts = packs_first ? blocks : 1;
  parallel_for(0, p.groups * pieces * parts, grain_for(job.positions / parts * piece * panel_size), [&](int64_t begin, int64_t end) {
    Buffer<float> sums(some * nr), own(packs_first ? 0 : panel_size);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / (pieces * parts), panel = i / parts % pieces * piece, n = std::min(piece, panels - panel);
      const float* const b = packs_first ? weights.data() + (group * panels + panel) * panel_size : own.data();
      if (!packs_first) job.pack(group, panel * nr, own.data());
      for (int64_t j = i % parts; j < blocks; j += parts)
        job.run(pixels.data(), b, group, panel, n, j * some, std::min(some, job.positions - j * some), sums.data());
    }
  });
}
#else
template <class T>
void run_by_positions(const ConvProduct<T>&) {}
#endif

template void run_by_positions<float>(const ConvProduct<float>&);
template void run_by_positions<BFloat16>(const ConvProduct<BFloat16>&);

}  // namespace mt::cpu::detail
