// Gathers pixels into packed panels, multiplies them by packed weights, and stores the sums, block by block.
#include "cpu/conv/conv_product.h"

#include <cstring>
#include <optional>

#include "cpu/buffer.h"
#include "cpu/conv/conv_gather.h"
#include "cpu/conv/conv_in_place.h"
#include "cpu/gemm/gemm_choice.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu::detail {
namespace {

constexpr int64_t shared_bytes = int64_t{16} << 20;

template <class T>
class Panels {
 public:
  explicit Panels(const ConvProduct<T>& p) : p_(p) {}

  // Splits the `lanes` output positions from `first` on into runs, one per line; returns their number.
  int list_runs(int64_t first, int lanes, Run* out) const {
    const int64_t *count = p_.count, size = count[0] * count[1] * count[2];
    Run run{0, 0, first / size, {first / (count[1] * count[2]) % count[0], first / count[2] % count[1], first % count[2]}};
    int n = 0;
    while (run.lane < lanes) {
      run.length = int32_t(std::min<int64_t>(lanes - run.lane, count[2] - run.position[2]));
      out[n++] = run;
      run.lane += run.length;
      run.position[2] = 0;
      if (++run.position[1] < count[1]) continue;
      run.position[1] = 0;
      if (++run.position[0] < count[0]) continue;
      run.position[0] = 0;
      ++run.image;
    }
    return n;
  }

  // Lists what a tap reads for these runs: pieces of at most a vector, and pieces of zeros for unused lanes.
  int list_pieces(const Run* runs, int n_runs, const Tap& tap, int lanes, int width, Piece* out) const {
    constexpr int most = gather_bytes / int(sizeof(T));
    int n = 0;
    for (int i = 0; i < n_runs; ++i) {
      const Run& r = runs[i];
      const int64_t plane = r.position[0] * p_.step[0] + tap.offset[0], line = r.position[1] * p_.step[1] + tap.offset[1];
      const bool inside = plane >= 0 && plane < p_.planes && line >= 0 && line < p_.lines;
      const int64_t start = r.position[2] + tap.offset[2];
      const int64_t low = inside ? std::clamp<int64_t>(-start, 0, r.length) : 0;
      const int64_t high = inside ? std::clamp<int64_t>(tap.width - start, 0, r.length) : 0;
      const int64_t offset = inside ? r.image * p_.source_image_stride + (plane * p_.lines + line) * p_.line_stride + tap.line + start : 0;
      for (int32_t at = 0; at < r.length; at += most) {
        const int32_t length = std::min(most, r.length - at);
        out[n++] = {offset + at, r.lane + at, length, int32_t(std::clamp<int64_t>(low - at, 0, length)),
                    int32_t(std::clamp<int64_t>(high - at, 0, length))};
      }
    }
    for (int lane = lanes; lane < width; lane += most) out[n++] = {0, lane, std::min(most, width - lane), 0, 0};
    return n;
  }

 private:
  const ConvProduct<T>& p_;
};

// Packs the weights of rows [row, row + lanes) of a group in the order (tap, channel).
template <class T>
void pack_weight(const ConvProduct<T>& p, int64_t group, int64_t row, int lanes, Compute<T>* out) {
  using P = Compute<T>;
  const GemmKernels<T>& kernel = kernels<T>();
  const int width = kernel.tile_rows;
  const int64_t taps = int64_t(p.taps.size()), depth = taps * p.channels;
  const T* weight = p.weight + group * p.weight_group_stride + row * p.weight_row_stride;
  if (kernel.group != 1) {
    Buffer<T> rows(lanes * depth);
    for (int lane = 0; lane < lanes; ++lane)
      for (int64_t c = 0; c < p.channels; ++c) {  // in memory order: that of the kernel's elements within a channel
        const T* from = weight + lane * p.weight_row_stride + c * p.weight_channel_stride;
        T* to = rows.data() + lane * depth + c;
        for (int64_t t = 0; t < taps; ++t) to[t * p.channels] = from[p.taps[size_t(t)].kernel_index];
      }
    kernel.pack_rows(rows.data(), depth, 1, lanes, depth, out);
    return;
  }
  if (p.weight_channel_stride == taps) {
    // Reads the weights in memory order: transposes those of a few channels at a time, then distributes them by tap.
    const int64_t at_once = std::clamp<int64_t>(512 / taps, 1, p.channels);
    Buffer<P> transposed(taps > 1 ? at_once * taps * width : 0);
    for (int64_t c = 0; c < p.channels; c += at_once) {
      const int64_t count = std::min(at_once, p.channels - c);
      P* to = taps > 1 ? transposed.data() : out + c * width;
      kernel.pack_rows(weight + c * taps, p.weight_row_stride, 1, lanes, count * taps, to);
      if (taps == 1) continue;
      for (int64_t i = 0; i < count; ++i)
        for (int64_t t = 0; t < taps; ++t)
          for (int lane = 0; lane < width; lane += 4)  // a constant number of bytes: no function call
            std::memcpy(out + (t * p.channels + c + i) * width + lane, to + (i * taps + t) * width + lane, 4 * sizeof(P));
    }
    return;
  }
  for (int64_t c = 0; c < p.channels; ++c)
    for (int64_t t = 0; t < taps; ++t) {
      const T* from = weight + c * p.weight_channel_stride + p.taps[size_t(t)].kernel_index;
      P* to = out + (t * p.channels + c) * width;
      int lane = 0;
      for (; lane < lanes; ++lane) to[lane] = static_cast<P>(from[lane * p.weight_row_stride]);
      for (; lane < width; ++lane) to[lane] = P(0);
    }
}

template <class T>
int64_t target_offset_of(const ConvProduct<T>& p, const Run& r) {
  return p.target_start + r.image * p.target_image_stride + r.position[0] * p.target_stride[0] + r.position[1] * p.target_stride[1] +
         r.position[2] * p.target_stride[2];
}

// Stores the sums of channels [row, row + height) for the positions of these runs.
template <class T>
void store_run_sums(const ConvProduct<T>& p, const Compute<T>* tile, int64_t group, int64_t row, int height, const Run* runs, int n) {
  const GemmKernels<T>& kernel = kernels<T>();
  Output<T> output{GemmScalar<T>(1), GemmScalar<T>(0), {nullptr, p.target_channel_stride, p.target_stride[2]}, {}};
  if (p.bias) output.epilogue.row_bias = p.bias + group * p.rows;
  T* channel = p.target + group * p.rows * p.target_channel_stride;
  for (int i = 0; i < n;) {
    const Run& r = runs[i];
    const int64_t place = target_offset_of(p, r);
    int length = r.length;
    // Lines that are contiguous both in memory and in the tile are merged.
    for (++i; i < n && runs[i].lane == r.lane + length && target_offset_of(p, runs[i]) == place + length * p.target_stride[2]; ++i)
      length += runs[i].length;
    output.c.data = channel + place;
    kernel.finish(tile + r.lane, kernel.tile_cols, row, 0, height, length, output);
  }
}

// Multiplies positions [first, first + cols) by weight rows [row, row + rows) of one group.
template <class T>
struct ConvBlock {
  using P = Compute<T>;
  const ConvProduct<T>& p;
  const P* weights;  // this group's panels, `length` deep
  int64_t length;
  int64_t depth_at_once;
  const P* pixels;   // this group's panels if they are packed already, `length` deep too; else nullptr

  // Gathers steps [start, stop) of the inner dimension into the panel of positions [first, first + lanes).
  void gather_panel(int64_t group, int64_t first, int lanes, int64_t start, int64_t stop, P* panel, T* narrow) const {
    const GemmKernels<T>& kernel = kernels<T>();
    const Panels<T> panels(p);
    const int nr = kernel.tile_cols;
    Run runs[most_lanes];
    Piece pieces[2 * most_lanes];
    const int n_runs = panels.list_runs(first, lanes, runs);
    const T* source = p.source + group * p.channels * p.source_channel_stride;
    for (int64_t at = start; at < stop;) {
      const int64_t tap = at / p.channels, channel = at % p.channels, n = std::min(p.channels - channel, stop - at);
      const int n_pieces = panels.list_pieces(runs, n_runs, p.taps[size_t(tap)], lanes, nr, pieces);
      const T* from = source + channel * p.source_channel_stride;
      if constexpr (packs_itself)
        gather_rows(from, p.source_channel_stride, n, pieces, n_pieces, nr, panel + (at - start) * nr);
      else
        gather_rows(from, p.source_channel_stride, n, pieces, n_pieces, nr, narrow + (at - start) * nr);
      at += n;
    }
    if constexpr (!packs_itself) kernel.pack_cols(narrow, 1, nr, nr, stop - start, panel);
  }
  // The pixels that one tap reads for positions from `first` on, if they are contiguous.
  const T* pixels_of(int64_t group, int64_t first) const {
    const Panels<T> panels(p);
    Run run[1];
    Piece piece[1];
    panels.list_pieces(run, panels.list_runs(first, 1, run), p.taps[0], 1, 1, piece);
    return p.source + group * p.channels * p.source_channel_stride + piece[0].offset;
  }
  static constexpr bool packs_itself = std::is_same_v<T, P>;
  static constexpr int64_t spill = gather_bytes / int64_t(sizeof(T));

  // Prefetches the pixels of one tap, each read once, a few cache lines at a time while earlier ones are multiplied.
  struct Prefetch {
    const T* pixels;
    int64_t channel_stride, n_lines, all_lines, brought = 0;

    // Prefetches lines up to the share done / all of them; `done` of `all` tiles are multiplied.
    void prefetch_up_to_share(int64_t done, int64_t all) {
      for (const int64_t upto = all_lines * done / all; brought < upto; ++brought)
        __builtin_prefetch(pixels + brought / n_lines * channel_stride + brought % n_lines * (64 / int64_t(sizeof(T))));
    }
  };
  // Plans to prefetch steps [start, stop) of the inner dimension for `cols` positions from `first` on.
  Prefetch plan_prefetch(int64_t group, int64_t first, int64_t cols, int64_t start, int64_t stop) const {
    const int64_t positions = p.images * p.count[0] * p.count[1] * p.count[2], n_lines = divide_up(cols * int64_t(sizeof(T)), 64);
    if (!std::is_same_v<T, float> || p.taps.size() != 1 || pixels || first >= positions) return {nullptr, 0, 1, 0};
    return {pixels_of(group, first) + start * p.source_channel_stride, p.source_channel_stride, n_lines, (stop - start) * n_lines};
  }

  // Whether these positions are contiguous in each channel of the target and fill whole vectors.
  bool can_store_directly(int64_t rows, int64_t first, int64_t cols) const {
    const GemmKernels<T>& kernel = kernels<T>();
    if (kernel.multiply_into == nullptr || cols % kernel.into_step != 0 || rows % kernel.tile_rows != 0) return false;
    const int64_t *count = p.count, size = count[0] * count[1] * count[2];
    return p.target_stride[2] == 1 && p.target_stride[1] == count[2] && p.target_stride[0] == count[1] * count[2] &&
           first / size == (first + cols - 1) / size;
  }
  // For an inner dimension that fits into one pass: computes a few rows of the target at a time, so that writes are contiguous.
  void run_directly(int64_t group, int64_t row, int64_t rows, int64_t first, int64_t cols) const {
    const GemmKernels<T>& kernel = kernels<T>();
    const int64_t mr = kernel.tile_rows, nr = kernel.tile_cols, size = sizeof(P);
    Buffer<P> packed(pixels ? 0 : round_up(cols, nr) * length + spill);
    for (int64_t j = 0; j < cols && !pixels; j += nr)
      gather_panel(group, first + j, int(std::min(nr, cols - j)), 0, length, packed.data() + j * length, nullptr);
    const P* const right = pixels ? pixels + first * length : packed.data();
    Run run[1];
    Panels<T>(p).list_runs(first, 1, run);
    T* const target = p.target + target_offset_of(p, run[0]);
    Prefetch next = plan_prefetch(group, first + cols, cols, 0, length);
    alignas(64) P biases[12 * 96];  // for a tile
    for (int64_t i = 0; i < rows; i += mr) {
      const int64_t channel = group * p.rows + row + i;
      for (int64_t r = 0; r < mr && p.bias; ++r) std::fill_n(biases + r * nr, nr, p.bias[channel + r]);
      T* const to = target + channel * p.target_channel_stride;
      next.prefetch_up_to_share(i + mr, rows);
      for (int64_t j = 0; j < cols; j += nr)
        kernel.multiply_into(length, weights + (row + i) * length, size, mr * size, right + j * length, p.bias ? biases : nullptr, nullptr,
                             to + j, p.target_channel_stride, int(mr), int(std::min(nr, cols - j)));
    }
  }

  void run(int64_t group, int64_t row, int64_t rows, int64_t first, int64_t cols) const {
    const GemmKernels<T>& kernel = kernels<T>();
    const int mr = kernel.tile_rows, nr = kernel.tile_cols, pair = kernel.group;
    const int64_t row_panels = divide_up(rows, mr), col_panels = divide_up(cols, nr);
    const int64_t depth = int64_t(p.taps.size()) * p.channels;
    const bool one_pass = depth_at_once >= depth;
    if constexpr (packs_itself)
      if (one_pass && can_store_directly(rows, first, cols)) return run_directly(group, row, rows, first, cols);
    alignas(64) P single[12 * 96];
    Buffer<P> packed(pixels ? 0 : col_panels * nr * divide_up(std::min(depth, depth_at_once), pair) + spill);
    Buffer<P> sums(one_pass ? 0 : row_panels * col_panels * mr * nr);
    Buffer<T> narrow(packs_itself || pixels ? 0 : std::min(depth, depth_at_once) * nr + spill);
    for (int64_t start = 0; start < depth; start += depth_at_once) {
      const int64_t stop = std::min(depth, start + depth_at_once), packed_depth = divide_up(stop - start, pair);
      for (int64_t j = 0; j < col_panels && !pixels; ++j)
        gather_panel(group, first + j * nr, int(std::min<int64_t>(nr, cols - j * nr)), start, stop, packed.data() + j * nr * packed_depth,
                     narrow.data());
      const bool last = stop == depth;
      Prefetch next = last ? plan_prefetch(group, first + cols, cols, 0, std::min(depth_at_once, depth))
                           : plan_prefetch(group, first, cols, stop, std::min(stop + depth_at_once, depth));
      for (int64_t j = 0; j < col_panels; ++j) {
        const int width = int(std::min<int64_t>(nr, cols - j * nr));
        Run runs[most_lanes];
        const int n_runs = last ? Panels<T>(p).list_runs(first + j * nr, width, runs) : 0;
        const P* b = pixels ? pixels + (first + j * nr) * length + start / pair * nr : packed.data() + j * nr * packed_depth;
        for (int64_t i = 0; i < row_panels; ++i) {
          const int height = int(std::min<int64_t>(mr, rows - i * mr));
          const P* a = weights + (row + i * mr) * length + start / pair * mr;
          P* tile = one_pass ? single : sums.data() + (i * col_panels + j) * mr * nr;
          next.prefetch_up_to_share(j * row_panels + i + 1, row_panels * col_panels);
          kernel.multiply(packed_depth, a, b, tile, start > 0, height, width);
          if (last) store_run_sums(p, tile, group, row + i * mr, height, runs, n_runs);
        }
      }
    }
  }
};

template <class T>
using InPlaceOf = InPlace<T, std::conditional_t<std::is_same_v<T, BFloat16>, ChannelPair, T>>;

template <class T>
void run_in_place(const ConvProduct<T>& p, const InPlaceOf<T>& source, const float* weights) {
  const GemmKernels<T>& kernel = kernels<T>();
  const int64_t mr = kernel.tile_rows, nr = kernel.tile_cols, all = source.count_all_panels(), channels = source.channels;
  const int64_t depth = int64_t(p.taps.size()) * channels, row_panels = divide_up(p.rows, mr);
  // Allocates one panel more than the copy needs, since the last panel reads beyond the last position.
  Buffer<float> copied(p.images * source.image + nr);
  source.copy(p.source, copied.data());
  const int64_t block = even_chunk_length(all, 4, 1), blocks = divide_up(all, block);
  const int64_t pieces = std::clamp<int64_t>(16 / (blocks * p.groups), 1, std::max<int64_t>(1, p.rows / (4 * mr)));
  const int64_t piece = even_chunk_length(row_panels, std::min<int64_t>(divide_up(row_panels, pieces), 48), 1),
                down = divide_up(row_panels, piece);
  const int64_t depth_at_once = depth <= 192 ? depth : even_chunk_length(depth, 96, 8);  // short sums also limit the rounding error
  std::vector<std::vector<Steps>> passes;
  for (int64_t start = 0; start < depth; start += depth_at_once) {
    std::vector<Steps>& steps = passes.emplace_back();
    for (int64_t at = start, stop = std::min(depth, start + depth_at_once); at < stop;) {
      const int64_t tap = at / channels, c = at % channels, n = std::min(channels - c, stop - at);
      steps.push_back({source.offset[size_t(tap)] + c * source.channel, n});
      at += n;
    }
  }
  parallel_for(0, p.groups * down * blocks, grain_for(piece * mr * block * nr * depth), [&](int64_t begin, int64_t end) {
    Buffer<float> sums(block * piece * mr * nr);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / (down * blocks), row = i / blocks % down * piece, rows = std::min(piece, row_panels - row);
      const int64_t first = i % blocks * block, count = std::min(block, all - first);
      for (int64_t start = 0; start < depth; start += depth_at_once) {
        const int64_t stop = std::min(depth, start + depth_at_once);
        const std::vector<Steps>& steps = passes[size_t(start / depth_at_once)];
        for (int64_t j = 0; j < count; ++j) {
          const int64_t panel = first + j;
          const float* b = copied.data() + source.first_pixel_of(panel) + group * channels * source.channel;
          Run runs[most_lanes];
          const int n_runs = stop == depth ? source.list_runs(panel, runs) : 0;
          const float* a = weights + ((group * row_panels + row) * depth + start) * mr;
          float* tile = sums.data() + j * rows * mr * nr;
          for (int64_t r = 0; r < rows; ++r, a += depth * mr, tile += mr * nr) {
            const int height = int(std::min(mr, p.rows - (row + r) * mr));
            kernel.multiply_steps(steps.data(), int(steps.size()), source.channel, a, b, tile, start > 0, height);
            if (n_runs > 0) store_run_sums(p, tile, group, (row + r) * mr, height, runs, n_runs);
          }
        }
      }
    }
  });
}

}  // namespace

template <class T>
bool fills_product_lanes(int64_t rows, int64_t channels) {
  const GemmKernels<T>& kernel = kernels<T>();
  return kernel.multiply_positions != nullptr && channels % kernel.group == 0 && 10 * rows >= 9 * round_up(rows, kernel.lanes);
}

namespace {

// Packs the panels of all positions once; blocks with the same positions but other weight rows share these panels.
template <class T, class P = Compute<T>>
void pack_positions(const ConvProduct<T>& p, int64_t depth, int64_t depth_at_once, int64_t length, P* pixels) {
  const int64_t nr = kernels<T>().tile_cols, positions = p.images * p.grid(), col_panels = divide_up(positions, nr);
  const int64_t group_pixels = col_panels * nr * length;
  parallel_for(0, p.groups * col_panels, grain_for(nr * depth * 4), [&](int64_t begin, int64_t end) {
    // Each panel is packed into a buffer of its own first: what is written behind its end would overwrite its neighbour.
    Buffer<P> panel(length * nr + ConvBlock<T>::spill);
    Buffer<T> narrow(ConvBlock<T>::packs_itself ? 0 : depth * nr + ConvBlock<T>::spill);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / col_panels, first = i % col_panels * nr;
      ConvBlock<T>{p, nullptr, length, depth_at_once, nullptr}.gather_panel(group, first, int(std::min(nr, positions - first)), 0, depth,
                                                                            panel.data(), narrow.data());
      std::memcpy(pixels + group * group_pixels + first * length, panel.data(), size_t(length * nr) * sizeof(P));
    }
  });
}

}  // namespace

template <class T>
void run_product(const ConvProduct<T>& p) {
  using P = Compute<T>;
  const GemmKernels<T>& kernel = kernels<T>();
  const int64_t mr = kernel.tile_rows, nr = kernel.tile_cols;
  const int64_t depth = int64_t(p.taps.size()) * p.channels, length = divide_up(depth, kernel.group);
  const int64_t grid = p.grid(), positions = p.images * grid;
  if (positions == 0 || p.rows == 0 || p.groups == 0) return;
  std::optional<InPlaceOf<T>> in_place;
  if constexpr (can_go_by_positions<T>) {
    if (p.taps.size() > 1 && kernel.multiply_steps != nullptr && p.channels % kernel.group == 0) in_place.emplace(p);
    // Float lines that fill the lanes need no transposing, nor does a single tap; pairs of bfloat16 are made by transposing.
    const bool can_read_in_place = std::is_same_v<T, float> ? p.taps.size() == 1 || (in_place && in_place->fills_lanes())
                                                            : p.taps.size() == 1 && grid >= 1024 && grid % nr == 0;
    if (!can_read_in_place && fills_product_lanes<T>(p.rows, p.channels)) return run_by_positions(p);
  }
  const int64_t row_panels = divide_up(p.rows, mr), group_size = row_panels * mr * length;
  Buffer<P> weights(p.groups * group_size);
  parallel_for(0, p.groups * row_panels, grain_for(mr * depth * 8), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / row_panels, row = i % row_panels * mr;
      pack_weight(p, group, row, int(std::min(mr, p.rows - row)), weights.data() + group * group_size + row * length);
    }
  });
  if constexpr (can_go_by_positions<T>)
    if (in_place && in_place->is_worth_copying()) return run_in_place(p, *in_place, weights.data());
  // A block has four panels of positions: packed, they stay in the L2 cache. If there are few blocks, rows are split too.
  const int64_t cols = even_chunk_length(positions, 4 * nr, nr), across = divide_up(positions, cols);
  const int64_t pieces = std::clamp<int64_t>(16 / (across * p.groups), 1, std::max<int64_t>(1, p.rows / (4 * mr)));
  // The most weight rows that fit into the L2 cache beside a block's panels of positions.
  const int64_t most_rows = std::max<int64_t>(48 * mr, (int64_t{256} << 10) / (length * int64_t(sizeof(P))));
  const int64_t rows = even_chunk_length(p.rows, std::min(divide_up(p.rows, pieces), most_rows), mr), down = divide_up(p.rows, rows);
  const int64_t depth_at_once = even_chunk_length(depth, 96, 8);  // short sums also limit the rounding error
  // Blocks of the same positions share their panels, unless that takes much memory.
  const int64_t col_panels = divide_up(positions, nr), group_pixels = col_panels * nr * length;
  const bool shares = down > 1 && p.groups * group_pixels <= shared_bytes / int64_t(sizeof(P));
  Buffer<P> pixels(shares ? p.groups * group_pixels + ConvBlock<T>::spill : 0);
  if (shares) pack_positions(p, depth, depth_at_once, length, pixels.data());
  parallel_for(0, p.groups * down * across, grain_for(rows * cols * depth), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t group = i / (down * across), row = i / across % down * rows, first = i % across * cols;
      const ConvBlock<T> block{p, weights.data() + group * group_size, length, depth_at_once,
                               shares ? pixels.data() + group * group_pixels : nullptr};
      block.run(group, row, std::min(rows, p.rows - row), first, std::min(cols, positions - first));
    }
  });
}

template bool fills_product_lanes<float>(int64_t, int64_t);
template bool fills_product_lanes<BFloat16>(int64_t, int64_t);
#define MT_INSTANTIATE(T) template void run_product<T>(const ConvProduct<T>&);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
MT_INSTANTIATE(int8_t)
MT_INSTANTIATE(int16_t)
MT_INSTANTIATE(int32_t)
MT_INSTANTIATE(int64_t)
#undef MT_INSTANTIATE

}  // namespace mt::cpu::detail
