// Convolutions with channels in the vector lanes: pixels are read in place from a padded channels-last copy, so that no lane is idle
// whatever the line length, strides and dilations.
#include <algorithm>
#include <cstring>

#include "cpu/buffer.h"
#include "cpu/conv/conv_gather.h"
#include "cpu/conv/conv_product.h"
#include "cpu/copy/words_avx512.h"
#include "cpu/gemm/gemm_choice.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu::detail {

#if MT_HAS_X86_TARGETS
namespace {

constexpr int64_t max_block_positions = 192;     // of a block, whose sums stay in the caches
constexpr int64_t max_panel_floats = 64 << 10;  // of weights that stay in the L2 cache
constexpr int64_t max_copied_words = 256 << 10;  // words of the copies of images
constexpr int64_t depth_per_pass = 256;      // short sums limit the rounding error

// The plane and line of the image that a run of steps reads, relative to the output position.
struct Line {
  int64_t plane, line;
};

// The tile sizes of a type's kernel. Steps, panels and pixels are counted in 32-bit words: a word is one channel, or a pair of bfloat16
// channels.
struct Tiles {
  int64_t nr, mr, pair;
  void (*multiply)(const Steps* steps, int n, const float* const* at, const float* b, float* tile, const float* start, int rows, int cols);
};
template <class T>
Tiles tiles_of() {
  const GemmKernels<T>& kernel = kernels<T>();
  return {kernel.tile_cols, kernel.tile_rows, kernel.group, kernel.multiply_positions};
}

// The layout of the padded channels-last copy that all products read.
struct Padded {
  const std::vector<ProductShape>& shapes;
  const Tiles tiles;
  const ProductShape& p = shapes[0];
  const int64_t channels = p.channels / tiles.pair;
  // Blocks of about 64 channels are stored as separate images: the rows of a tile then spread over many cache sets.
  int64_t blocks = divide_up(channels, 64), block;
  int64_t before[3], extent[3];  // of an image
  int64_t image;                 // words of a block of one image

  Padded(const std::vector<ProductShape>& all, const Tiles& given) : shapes(all), tiles(given) {
    if (channels % blocks != 0) blocks = 1;
    block = channels / blocks;
    for (int i = 0; i < 3; ++i) {
      int64_t low = 0, stop = 0;
      for (const ProductShape& shape : shapes)
        for (const Tap& tap : shape.taps) {
          low = std::min(low, tap.offset[i]);
          stop = std::max(stop, (shape.count[i] - 1) * shape.step[i] + tap.offset[i] + 1);
        }
      before[i] = -low;
      extent[i] = stop - low;
    }
    image = extent[0] * extent[1] * extent[2] * block;
  }
  int64_t pixel_offset_in_copy(int64_t d, int64_t h, int64_t w) const { return ((d * extent[1] + h) * extent[2] + w) * block; }
  int64_t images() const { return p.images * p.groups * blocks; }
};

// One product over all output positions, one of several that share the padded copy.
struct PositionProduct {
  const ProductShape& p;
  const Padded& source;
  const int64_t nr = source.tiles.nr, mr = source.tiles.mr;
  const int64_t depth = int64_t(p.taps.size()) * source.channels;
  const int64_t positions = p.images * p.grid();
  const int64_t first_row;     // of a panel: the start of this product's weights
  std::vector<int64_t> slots;  // by block and tap: the row, relative to first_row, where the channels of each start
  struct Pass {
    std::vector<Steps> steps;
    std::vector<Line> lines;
  };
  std::vector<Pass> passes;

  PositionProduct(const ProductShape& shape, const Padded& padded, int64_t first)
      : p(shape), source(padded), first_row(first), slots(p.taps.size() * size_t(padded.blocks)) {
    // Orders steps by planes and lines, so that those outside the image are neighbours, then by channel blocks and pixels. Taps are sorted
    // in ascending or descending order.
    const int64_t taps = int64_t(p.taps.size()), block = source.block;
    const bool falls = std::lexicographical_compare(p.taps.back().offset, p.taps.back().offset + 3, p.taps[0].offset, p.taps[0].offset + 3);
    const auto tap_at = [&](int64_t i) -> const Tap& { return p.taps[size_t(falls ? taps - 1 - i : i)]; };
    std::vector<int64_t> order;
    for (int64_t begin = 0, next; begin < taps; begin = next) {
      for (next = begin + 1; next < taps && std::equal(tap_at(begin).offset, tap_at(begin).offset + 2, tap_at(next).offset);) ++next;
      for (int64_t b = 0; b < source.blocks; ++b)
        for (int64_t i = begin; i < next; ++i) order.push_back(b * taps + (&tap_at(i) - p.taps.data()));
    }
    const int64_t most = even_chunk_length(depth, depth_per_pass, 8);
    for (int64_t at = 0, left = 0; at < depth;) {
      if (left == 0) passes.emplace_back(), left = most;
      const int64_t pair = order[size_t(at / block)], c = at % block, n = std::min(block - c, left);
      const int64_t* const offset = p.taps[size_t(pair % taps)].offset;
      const int64_t pixel = source.pixel_offset_in_copy(offset[0] + source.before[0], offset[1] + source.before[1],
                                                        offset[2] + source.before[2]);
      const int64_t from = pair / taps * source.image + pixel + c;
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
  // The address in a packed panel of a tap's weights for the channel words of one block, from word c on.
  float* weights_address(float* panel, size_t tap, int64_t c) const {
    return panel + (first_row + slots[size_t(c / source.block) * p.taps.size() + tap] + c % source.block) * nr;
  }

  // The image plane and lines of a tile's positions. If they span several planes, is_whole is false: then no step is skipped as outside.
  struct Tile {
    int64_t plane, first_line, last_line;
    bool is_whole, has_sums;
  };
  struct Block {
    int64_t count;
    const float* at[max_block_positions + 16];
    Tile tiles[max_block_positions / 4];
  };
  bool is_outside(const Line& l, const Tile& t) const {
    const int64_t plane = t.plane + l.plane;
    return t.is_whole && (plane < 0 || plane >= p.planes || t.last_line + l.line < 0 || t.first_line + l.line >= p.lines);
  }

  // Sets the pixel addresses and tiles of `count` output positions from `first` on.
  void find_pixel_addresses(const float* pixels, int64_t group, int64_t first, int64_t count, Block& block) const {
    const int64_t grid = p.grid();
    block.count = count;
    int64_t i = 0;
    for (; i < count;) {
      const int64_t q = first + i, d = q / (p.count[1] * p.count[2]) % p.count[0], h = q / p.count[2] % p.count[1], w = q % p.count[2];
      const float* from = pixels + (q / grid * p.groups + group) * source.blocks * source.image +
                          source.pixel_offset_in_copy(d * p.step[0], h * p.step[1], w * p.step[2]);
      const int64_t stop = std::min(count, i + p.count[2] - w), plane = d * p.step[0], line = h * p.step[1];
      for (int64_t t = i / mr; t * mr < stop; ++t) {
        Tile& tile = block.tiles[t];
        if (t * mr >= i)
          tile = {plane, line, line, true, false};
        else
          tile.last_line = line, tile.is_whole &= h > 0;  // else another plane begins within the tile
      }
      for (; i < stop; ++i, from += p.step[2] * source.block) block.at[i] = from;
    }
    for (; i < round_up(count, mr); ++i) block.at[i] = block.at[count - 1];
  }
  // Multiplies the positions of a block by one panel of weights; each position's row of `sums` has nr lanes.
  void multiply(Block& block, const float* panel, int64_t lanes, const float* start, float* sums) const {
    const float* b = panel + first_row * nr;
    for (int64_t i = 0; i < block.count; i += mr) block.tiles[i / mr].has_sums = false;
    // Runs a few passes on all tiles before the next passes, so that the weights of these passes stay in the caches.
    for (size_t pass = 0, end; pass < passes.size(); pass = end) {
      end = std::min(passes.size(), pass + 4);
      const float* from = b;
      for (int64_t i = 0; i < block.count; i += mr) {
        Tile& tile = block.tiles[i / mr];
        from = b;
        for (size_t k = pass; k < end; ++k) {
          const Pass& now = passes[k];
          // Multiplies runs of steps that read inside the image; skips runs that read only padding.
          for (size_t s = 0, next; s < now.steps.size(); s = next) {
            const bool outside = is_outside(now.lines[s], tile);
            int64_t done = 0;
            for (next = s; next < now.steps.size() && is_outside(now.lines[next], tile) == outside; ++next) done += now.steps[next].count;
            if (!outside) {
              source.tiles.multiply(now.steps.data() + s, int(next - s), block.at + i, from, sums + i * nr, tile.has_sums ? nullptr : start,
                                    int(std::min(mr, block.count - i)), int(lanes));
              tile.has_sums = true;
            }
            from += done * nr;
          }
        }
      }
      b = from;
    }
    for (int64_t i = 0; i < block.count; ++i)
      if (!block.tiles[i / mr].has_sums) std::copy_n(start, nr, sums + i * nr);
  }
};

// Stores the sums of `count` output positions from `first` on; `sums` has a row of nr channels per position.
template <class T>
void store_sums(const ProductShape& p, int64_t nr, int64_t group, int64_t row, int64_t first, int64_t count, const float* sums, T* target) {
  const int64_t rows = std::min(nr, p.rows - row), grid = p.grid();
  target += p.target_start + (group * p.rows + row) * p.target_channel_stride;
  const bool together = p.target_stride[2] == 1 && p.target_stride[1] == p.count[2] && p.target_stride[0] == p.count[1] * p.count[2];
  for (int64_t i = 0; i < count;) {
    const int64_t at = first + i, d = at / (p.count[1] * p.count[2]) % p.count[0], h = at / p.count[2] % p.count[1], w = at % p.count[2];
    const int64_t length = std::min(count - i, together ? grid - at % grid : p.count[2] - w);
    T* const to = target + at / grid * p.target_image_stride + d * p.target_stride[0] + h * p.target_stride[1] + w * p.target_stride[2];
    if constexpr (std::is_same_v<T, BFloat16>) {
      if (p.target_stride[2] == 1) {
        transpose_rounded(sums + i * nr, nr, length, rows, to, p.target_channel_stride);
      } else {
        BFloat16 transposed[64 * max_block_positions];
        transpose_rounded(sums + i * nr, nr, length, rows, transposed, length);
        for (int64_t c = 0; c < rows; ++c)
          for (int64_t j = 0; j < length; ++j) to[c * p.target_channel_stride + j * p.target_stride[2]] = transposed[c * length + j];
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

// Packs one panel of weights: a row of lanes (output channels) for each step, in the order in which each product runs its steps.
template <class T>
void pack_weights(const std::vector<PositionProduct>& jobs, const T* weights, int64_t group, int64_t row, float* panel) {
  const ProductShape& p = jobs[0].p;
  const Padded& source = jobs[0].source;
  const GemmKernels<T>& kernel = kernels<T>();
  const int64_t nr = kernel.tile_cols, pair = kernel.group;
  int64_t all = 0;
  for (const PositionProduct& job : jobs)
    for (const Tap& tap : job.p.taps) all = std::max(all, tap.kernel_index + 1);
  const int lanes = int(std::min(nr, p.rows - row));
  const T* const weight = weights + group * p.weight_group_stride + row * p.weight_row_stride;
  const int64_t at_once = std::clamp<int64_t>(256 / all, 1, source.block);
  Buffer<float> transposed(at_once * all * nr);
  for (int64_t c = 0, count; c < source.channels; c += count) {
    count = std::min(at_once, source.block - c % source.block);
    const T* const from = weight + c * pair * p.weight_channel_stride;
    if (all == 1) {
      kernel.pack_cols(from, p.weight_row_stride, p.weight_channel_stride, lanes, count * pair, jobs[0].weights_address(panel, 0, c));
      continue;
    }
    const bool is_contiguous = p.weight_channel_stride == all;
    if (is_contiguous) kernel.pack_cols(from, p.weight_row_stride, 1, lanes, count * pair * all, transposed.data());
    for (int64_t i = 0; i < count && !is_contiguous; ++i) {
      const T* const first = from + i * pair * p.weight_channel_stride;
      if constexpr (std::is_same_v<T, BFloat16>)
        transpose_pairs(first, first + p.weight_channel_stride, p.weight_row_stride, lanes, all, nr, transposed.data() + i * all * nr);
      else
        kernel.pack_cols(first, p.weight_row_stride, 1, lanes, all, transposed.data() + i * all * nr);
    }
    for (const PositionProduct& job : jobs)
      for (size_t t = 0; t < job.p.taps.size(); ++t) {
        const int64_t k = job.p.taps[t].kernel_index;
        float* to = job.weights_address(panel, t, c);
        if (pair == 2 && is_contiguous) {
          join_halves(transposed.data(), k, k + all, all, count, to);
          continue;
        }
        const float* row_of = transposed.data() + k * nr;
        for (int64_t i = 0; i < count; ++i, to += nr, row_of += all * nr) std::memcpy(to, row_of, 128);
      }
  }
}

}  // namespace

template <class T>
void run_by_positions(const ConvProduct<T>& p, const std::vector<ProductShape>& others) {
  std::vector<ProductShape> shapes{p};
  shapes.insert(shapes.end(), others.begin(), others.end());
  const Padded source(shapes, tiles_of<T>());
  // Processes a few images at a time, so that their padded copies stay in the cache.
  const int64_t fit = std::max<int64_t>(1, max_copied_words / (p.groups * source.blocks * source.image));
  if (fit < p.images) {
    for (int64_t first = 0; first < p.images; first += fit) {
      const int64_t count = std::min(fit, p.images - first);
      for (ProductShape& shape : shapes) shape.images = count;
      const ConvProduct<T> some{shapes[0], p.source + first * p.source_image_stride, p.weight, p.bias,
                                p.target + first * p.target_image_stride};
      run_by_positions(some, {shapes.begin() + 1, shapes.end()});
    }
    return;
  }
  Buffer<float> pixels(source.images() * source.image);
  const int64_t size[3] = {p.planes, p.lines, p.line_stride};
  interleave_padded(p.source, source.images(), source.block * source.tiles.pair, size, source.before, source.extent,
                    reinterpret_cast<T*>(pixels.data()));
  std::vector<PositionProduct> jobs;
  int64_t depth = 0, positions = 0;
  for (const ProductShape& shape : shapes) {
    const PositionProduct& job = jobs.emplace_back(shape, source, depth);
    depth += job.depth, positions += job.positions;
  }
  const int64_t nr = jobs[0].nr, mr = jobs[0].mr, panels = divide_up(p.rows, nr);
  // If weights are many compared with the pixels, each thread packs a panel just before it multiplies all positions by it, and finds it in
  // its cache.
  const int64_t panel_size = depth * nr, size_of_all = p.groups * panels * panel_size;
  const bool packs_first = p.groups * panels < 8 || size_of_all < 2 * max_panel_floats ||
                           panels * source.images() * source.image > divide_up(positions, max_block_positions) * size_of_all;
  // Multiplies blocks [begin, end) of a job's positions by n packed panels of weights from number `panel` on, whose memory starts at `b`.
  const auto run = [&](const PositionProduct& job, const float* b, int64_t group, int64_t panel, int64_t n, int64_t begin, int64_t end) {
    const int64_t some = even_chunk_length(job.positions, max_block_positions, mr);
    Buffer<float> sums(some * nr);
    PositionProduct::Block block;
    for (int64_t i = begin * some; i < std::min(end * some, job.positions); i += some) {
      job.find_pixel_addresses(pixels.data(), group, i, std::min(some, job.positions - i), block);
      for (int64_t k = 0; k < n; ++k) {
        const int64_t row = (panel + k) * nr, lanes = std::min(nr, p.rows - row);
        float start[64] = {};
        for (int64_t lane = 0; p.bias && lane < lanes; ++lane) start[lane] = static_cast<float>(p.bias[group * p.rows + row + lane]);
        job.multiply(block, b + k * panel_size, lanes, start, sums.data());
        store_sums(job.p, nr, group, row, i, block.count, sums.data(), p.target);
      }
    }
  };
  if (!packs_first) {
    parallel_for(0, p.groups * panels, grain_for(positions * panel_size), [&](int64_t begin, int64_t end) {
      Buffer<float> own(panel_size);
      for (int64_t i = begin; i < end; ++i) {
        pack_weights(jobs, p.weight, i / panels, i % panels * nr, own.data());
        for (const PositionProduct& job : jobs) run(job, own.data(), i / panels, i % panels, 1, 0, job.positions);
      }
    });
    return;
  }
  Buffer<float> weights(size_of_all);
  parallel_for(0, p.groups * panels, grain_for(panel_size * 8), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) pack_weights(jobs, p.weight, i / panels, i % panels * nr, weights.data() + i * panel_size);
  });
  for (const PositionProduct& job : jobs) {
    const int64_t piece = even_chunk_length(panels, std::max<int64_t>(1, max_panel_floats / (job.depth * nr)), 1),
                  pieces = divide_up(panels, piece);
    const int64_t blocks = divide_up(job.positions, even_chunk_length(job.positions, max_block_positions, mr));
    const int64_t grain = grain_for(job.positions / blocks * piece * job.depth * nr);
    parallel_for(0, p.groups * pieces * blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t group = i / (pieces * blocks), panel = i / blocks % pieces * piece, at = i % blocks;
        run(job, weights.data() + (group * panels + panel) * panel_size, group, panel, std::min(piece, panels - panel), at, at + 1);
      }
    });
  }
}
#else
template <class T>
void run_by_positions(const ConvProduct<T>&, const std::vector<ProductShape>&) {}
#endif

template void run_by_positions<float>(const ConvProduct<float>&, const std::vector<ProductShape>&);
template void run_by_positions<BFloat16>(const ConvProduct<BFloat16>&, const std::vector<ProductShape>&);

}  // namespace mt::cpu::detail
