// Drives matrix products: chooses the orientation, packs, splits C into tiles by size only, and runs them on the pool.
#include "cpu/gemm/gemm.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cpu/buffer.h"
#include "cpu/copy/convert.h"
#include "cpu/copy/short_rows.h"
#include "cpu/gemm/gemm_choice.h"
#include "cpu/gemm/gemm_complex.h"
#include "cpu/gemm/gemm_small.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

using detail::Compute;
using detail::divide_up;
using detail::even_chunk_length;
using detail::GemmKernels;
using detail::grain_for;
using detail::kernels;
using detail::MatrixUnitScope;
using detail::Output;
using detail::Pieces;
using detail::product_kernels;
using detail::round_up;
using detail::work_per_chunk;

constexpr int64_t packed_bytes = int64_t{32} << 20;   // of each operand at a time
constexpr int64_t min_tiles_to_pack = 16;

template <class T>
struct GemmProblem {
  int64_t m, n, k;
  ConstMatrix<T> a, b;
  Output<T> out;
};

// Replaces the problem by C^T = B^T A^T, so that the rows of C become contiguous.
template <class T>
void transpose_problem(GemmProblem<T>& p) {
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  std::swap(p.a.row_stride, p.a.col_stride);
  std::swap(p.b.row_stride, p.b.col_stride);
  std::swap(p.out.c.row_stride, p.out.c.col_stride);
  std::swap(p.out.epilogue.row_bias, p.out.epilogue.col_bias);
  std::swap(p.out.epilogue.row_bias_stride, p.out.epilogue.col_bias_stride);
}

template <class T>
void finish_without_product(const GemmProblem<T>& p) {
  using P = Compute<T>;
  const GemmKernels<T>& kernel = kernels<T>();
  Buffer<P> zeros(p.n);
  std::fill_n(zeros.data(), p.n, P(0));
  Output<T> out = p.out;
  out.alpha = 0;  // `alpha` may be NaN
  kernel.finish(zeros.data(), 0, 0, 0, p.m, p.n, out);
}

// Scratch memory, on the stack if small: for products of a batch, an allocation may take longer than the product.
template <class P>
class Scratch {
 public:
  explicit Scratch(int64_t count) {
    if (count > most_near) far_.emplace(count);
  }
  P* data() { return far_ ? far_->data() : near_; }

 private:
  static constexpr int64_t most_near = 1024;
  alignas(64) P near_[most_near];
  std::optional<Buffer<P>> far_;
};

// Copies the rows of A, widened to the type of the accumulators.
template <class T>
[[gnu::noinline]] void widen_rows(const GemmProblem<T>& p, Compute<T>* to) {
  using P = Compute<T>;
  const bool follow = p.a.col_stride == 1 && p.a.row_stride == p.k;
  const int64_t rows = follow ? 1 : p.m, length = follow ? p.m * p.k : p.k;
  for (int64_t i = 0; i < rows; ++i, to += length) {
    const T* from = p.a.data + i * p.a.row_stride;
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      static const Conversion widen(Dtype::float32, std::is_same_v<T, Half> ? Dtype::float16 : Dtype::bfloat16);
      widen(to, sizeof(P), from, p.a.col_stride * int64_t(sizeof(T)), length);
    } else if (p.a.col_stride == 1) {
      for (int64_t q = 0; q < length; ++q) to[q] = static_cast<P>(from[q]);
    } else {
      for (int64_t q = 0; q < length; ++q) to[q] = static_cast<P>(from[q * p.a.col_stride]);
    }
  }
}

// Whether a matrix unit (AMX) supports skinny products of so many rows.
template <class T>
bool has_few_rows(const GemmProblem<T>& p) {
  const GemmKernels<T>& unit = product_kernels<T>(p.n);
  return p.m >= unit.few_least && p.m <= unit.few_most;
}

// Multiplies a few rows of A by B, which is read once and not packed. B must be contiguous along one dimension.
template <class T>
void multiply_skinny(const GemmProblem<T>& p) {
  using P = Compute<T>;
  const GemmKernels<T>& kernel = kernels<T>();
  const bool by_dots = p.b.row_stride == 1 && p.b.col_stride != 1;
  const GemmKernels<T>& unit = product_kernels<T>(p.n);
  const bool by_unit = has_few_rows(p);
  bool is_contiguous = false;
  if constexpr (std::is_same_v<T, P>) is_contiguous = p.a.col_stride == 1 && (p.m == 1 || p.a.row_stride == p.k);
  Scratch<P> made(by_unit ? unit.few_words(static_cast<int>(p.m), p.k) : is_contiguous ? 0 : p.m * p.k);
  const P* rows = made.data();
  if (by_unit)
    unit.pack_few(p.a.data, p.a.row_stride, p.a.col_stride, static_cast<int>(p.m), p.k, by_dots, made.data());
  else if (is_contiguous)
    rows = reinterpret_cast<const P*>(p.a.data);
  else
    widen_rows(p, made.data());
  const int64_t stride = by_dots ? p.b.col_stride : p.b.row_stride;
  const auto sum = by_unit ? (by_dots ? unit.few_by_dots : unit.few_by_rows) : by_dots ? kernel.skinny_by_dots : kernel.skinny_by_rows;
  const auto columns = [&](int64_t first, int64_t count, P* sums) {
    sum(p.k, static_cast<int>(p.m), rows, p.b.data + first * p.b.col_stride, stride, count, sums);
    kernel.finish(sums, count, 0, first, p.m, count, p.out);
  };
  // Columns are split at multiples of 64, so that only the last part has a remainder. Parts are as wide as the accumulators of all rows fit
  // into the L1 cache, since the hardware prefetcher gains little from short contiguous runs of B.
  const int64_t most = std::max<int64_t>(64, 4096 / p.m / 64 * 64);
  const int64_t width = by_dots || by_unit ? 64 : std::min(round_up(divide_up(p.n, 4), 64), most);
  if (p.n <= width) {
    Scratch<P> sums(p.m * p.n);
    const MatrixUnitScope use(by_unit ? unit : kernel);
    return columns(0, p.n, sums.data());
  }
  parallel_for(0, divide_up(p.n, width), grain_for(width * p.m * p.k / 4), [&](int64_t begin, int64_t end) {
    Buffer<P> sums(p.m * width);
    const MatrixUnitScope use(by_unit ? unit : kernel);
    for (int64_t first = begin * width; first < std::min(end * width, p.n); first += width)
      columns(first, std::min(width, p.n - first), sums.data());
  });
}

// A tile whose sums are finished but not stored in C yet.
template <class T>
struct UnstoredTile {
  const Compute<T>* tile = nullptr;
  int64_t row = 0, col = 0, rows = 0, cols = 0;
};

// Computes one block of C from packed operands, tile by tile.
template <class T>
struct BlockJob {
  const GemmProblem<T>& p;
  int64_t length;              // of a panel, in packed elements
  const Compute<T>* packed_a;  // panels of MR rows; nullptr: A is read in place
  const Compute<T>* packed_b;  // panels of NR columns
  int64_t row0, col0;          // of the packed part, in C

  // Requires a MatrixUnitScope of the kernels on the calling thread.
  void run(int64_t row, int64_t col, int64_t rows, int64_t cols) const {
    using P = Compute<T>;
    const GemmKernels<T>& kernel = product_kernels<T>(p.n);
    const int64_t mr = kernel.tile_rows;
    const int64_t nr = kernel.tile_cols;
    const int64_t depth = even_chunk_length(length, kernel.depth, kernel.depth_step);
    const int64_t pass = depth * kernel.cuts;
    const int64_t row_panels = divide_up(rows, mr);
    const int64_t col_panels = divide_up(cols, nr);
    const bool one_pass = pass >= length;
    const Epilogue<T>& epilogue = p.out.epilogue;
    const bool goes_straight = kernel.multiply_into != nullptr && p.out.alpha == 1 && p.out.beta == 0 && p.out.c.col_stride == 1 &&
                               epilogue.row_bias == nullptr && (epilogue.col_bias == nullptr || epilogue.col_bias_stride == 1) &&
                               epilogue.activation == Activation::none;
    alignas(64) P single[2][12 * 96];
    Buffer<P> sums(one_pass ? 0 : row_panels * col_panels * mr * nr);
    UnstoredTile<T> waiting;  // the kernel stores it while the next tile is summed, if it supports that
    const auto one = [&](int64_t start, int64_t stop, int64_t i, int64_t j) {
      const P* b = packed_b + (col + j * nr) * length;
      P* tile = !one_pass ? sums.data() + (i * col_panels + j) * mr * nr : waiting.tile == single[0] ? single[1] : single[0];
      const int64_t height = std::min(mr, rows - i * mr);
      const int64_t width = std::min(nr, cols - j * nr);
      const bool straight = goes_straight && width % kernel.into_step == 0;
      for (int64_t at = start; at < stop; at += depth) {
        const int64_t count = std::min(depth, stop - at);
        const int64_t first = row0 + row + i * mr;
        const T* unpacked = packed_a ? nullptr : p.a.data + first * p.a.row_stride + at * kernel.group;
        const P* a = packed_a ? packed_a + (row + i * mr) * length + at * mr : nullptr;
        if (kernel.multiply_with_pieces != nullptr) {
          kernel.multiply_with_pieces(count, a, unpacked, p.a.row_stride, b + at * nr, tile, at > 0, static_cast<int>(height),
                                      Pieces(make_store_pieces(kernel, waiting)));
          waiting.rows = 0;
        } else if (straight && at + count == length) {
          const int64_t c0 = col0 + col + j * nr, size = sizeof(P);
          const int64_t row_step = packed_a ? size : p.a.row_stride * int64_t(sizeof(T));
          kernel.multiply_into(count, packed_a ? static_cast<const void*>(a) : unpacked, row_step, packed_a ? mr * size : size, b + at * nr,
                               at > 0 ? tile : nullptr, epilogue.col_bias ? epilogue.col_bias + c0 : nullptr,
                               p.out.c.data + first * p.out.c.row_stride + c0, p.out.c.row_stride, static_cast<int>(height),
                               static_cast<int>(width));
        } else if (packed_a == nullptr) {
          kernel.multiply_unpacked(count, unpacked, p.a.row_stride, b + at * nr, tile, at > 0, static_cast<int>(height),
                                   static_cast<int>(width));
        } else {
          kernel.multiply(count, a, b + at * nr, tile, at > 0, static_cast<int>(height), static_cast<int>(width));
        }
      }
      if (stop < length || straight) return;
      waiting = {tile, row0 + row + i * mr, col0 + col + j * nr, height, width};
      if (kernel.multiply_with_pieces == nullptr) store_waiting_tile(kernel, waiting);
    };
    // Several short panels of B that stay in L2 with one panel of A are used in turn, so that longer runs of C are written.
    const int64_t at_once = kernel.block_bytes > 0 ? std::clamp<int64_t>((192 << 10) / (nr * length * int64_t(sizeof(P))), 1, 4) : 1;
    for (int64_t start = 0; start < length; start += pass) {
      const int64_t stop = std::min(length, start + pass);
      for (int64_t j = 0; j < col_panels; j += at_once)
        for (int64_t i = 0; i < row_panels; ++i)
          for (int64_t k = j; k < std::min(col_panels, j + at_once); ++k) one(start, stop, i, k);
    }
    if (kernel.multiply_with_pieces != nullptr) store_waiting_tile(kernel, waiting);
  }

 private:
  static constexpr int64_t piece_rows = 8;

  void store_waiting_tile(const GemmKernels<T>& kernel, const UnstoredTile<T>& u) const {
    kernel.finish(u.tile, kernel.tile_cols, u.row, u.col, u.rows, u.cols, p.out);
  }
  // Returns a function that stores one piece of a finished tile's sums per call.
  auto make_store_pieces(const GemmKernels<T>& kernel, const UnstoredTile<T>& u) const {
    return [&](int64_t piece) {
      const int64_t done = piece * piece_rows;
      if (done >= u.rows) return false;
      kernel.finish(u.tile + done * kernel.tile_cols, kernel.tile_cols, u.row + done, u.col, std::min(piece_rows, u.rows - done), u.cols,
                    p.out);
      return true;
    };
  }
};

// Whether several panels of B are packed together: reading a row of several panels is one contiguous run, of a single panel only one cache
// line.
template <class T>
bool should_pack_panels(const GemmProblem<T>& p) {
  return product_kernels<T>(p.n).pack_panels != nullptr && p.b.col_stride == 1;
}

// pack_columns packs panels of B for `count` columns from `first` on; pack_rows packs panels of A for rows.
template <class T>
void pack_columns(const GemmProblem<T>& p, int64_t first, int64_t count, Compute<T>* to) {
  const GemmKernels<T>& kernel = product_kernels<T>(p.n);
  const int64_t nr = kernel.tile_cols, length = divide_up(p.k, kernel.group);
  if (should_pack_panels(p)) return kernel.pack_panels(p.b.data + first, p.b.row_stride, count, p.k, to);
  for (int64_t j = 0; j < count; j += nr)
    kernel.pack_cols(p.b.data + (first + j) * p.b.col_stride, p.b.col_stride, p.b.row_stride, static_cast<int>(std::min(nr, count - j)),
                     p.k, to + j * length);
}
template <class T>
void pack_rows(const GemmProblem<T>& p, int64_t first, int64_t count, Compute<T>* to) {
  const GemmKernels<T>& kernel = product_kernels<T>(p.n);
  const int64_t mr = kernel.tile_rows, length = divide_up(p.k, kernel.group);
  for (int64_t i = 0; i < count; i += mr)
    kernel.pack_rows(p.a.data + (first + i) * p.a.row_stride, p.a.row_stride, p.a.col_stride, static_cast<int>(std::min(mr, count - i)),
                     p.k, to + i * length);
}
// Calls f(first, count) for parts of `n` rows or columns that consist of whole panels.
template <class F>
void parallel_panels(int64_t n, int64_t panel, int64_t grain, F f) {
  parallel_for(0, divide_up(n, panel), grain,
               [&](int64_t begin, int64_t end) { f(begin * panel, std::min(n, end * panel) - begin * panel); });
}

// Whether the rows of A are read in place. Packing rarely pays off, except for many rows that are whole pages apart and therefore share
// few L1 cache sets.
template <class T>
bool can_read_rows(const GemmProblem<T>& p) {
  const GemmKernels<T>& kernel = product_kernels<T>(p.n);
  const bool apart = kernel.tile_rows > 4 && p.a.row_stride * static_cast<int64_t>(sizeof(T)) % 4096 == 0 && p.n > 4 * kernel.tile_cols;
  return kernel.multiply_unpacked != nullptr && p.a.col_stride == 1 && p.k % kernel.group == 0 && !apart;
}

template <class T>
void multiply_packed(const GemmProblem<T>& p) {
  using P = Compute<T>;
  const GemmKernels<T>& kernel = product_kernels<T>(p.n);
  const int64_t mr = kernel.tile_rows;
  const int64_t nr = kernel.tile_cols;
  const int64_t length = divide_up(p.k, kernel.group);
  const int64_t fit = std::max<int64_t>(1, packed_bytes / (length * static_cast<int64_t>(sizeof(P))));
  const int64_t rows_at_once = even_chunk_length(p.m, std::max(fit, 8 * mr), mr);
  const int64_t cols_at_once = even_chunk_length(p.n, std::max(fit, 8 * nr), nr);
  const int64_t panel_bytes = mr * length * static_cast<int64_t>(sizeof(P));
  const int64_t panels_down = std::max(192 / mr, std::min(kernel.block_bytes / panel_bytes, 1024 / mr));  // of a tile
  // How many columns of B are packed together: few enough that each of several threads gets some.
  const int64_t at_once = nr * (should_pack_panels(p) ? std::clamp<int64_t>(divide_up(p.n, nr) / 12, 1, 4) : 1);
  const bool in_place = can_read_rows(p);
  Buffer<P> packed_a(in_place ? 0 : round_up(std::min(rows_at_once, p.m), mr) * length);
  const P* const a = in_place ? nullptr : packed_a.data();
  if (p.m <= panels_down * mr && divide_up(p.n, nr) >= min_tiles_to_pack) {
    // For a single row of tiles a panel of B is used once: the thread that uses it packs it, and finds it in its cache.
    if (!in_place)
      parallel_panels(p.m, mr, grain_for(mr * p.k * 4),
                      [&](int64_t first, int64_t count) { pack_rows(p, first, count, packed_a.data() + first * length); });
    parallel_panels(p.n, at_once, grain_for(p.m * at_once * p.k), [&](int64_t first, int64_t count) {
      Buffer<P> panels(std::min(at_once, round_up(count, nr)) * length);
      const MatrixUnitScope unit(kernel);
      for (int64_t j = 0; j < count; j += at_once) {
        const int64_t cols = std::min(at_once, count - j);
        pack_columns(p, first + j, cols, panels.data());
        BlockJob<T>{p, length, a, panels.data(), 0, first + j}.run(0, 0, p.m, cols);
      }
    });
    return;
  }
  Buffer<P> packed_b(round_up(std::min(cols_at_once, p.n), nr) * length);
  for (int64_t col0 = 0; col0 < p.n; col0 += cols_at_once) {
    const int64_t cols = std::min(cols_at_once, p.n - col0);
    parallel_panels(cols, at_once, grain_for(at_once * p.k * 4),
                    [&](int64_t first, int64_t count) { pack_columns(p, col0 + first, count, packed_b.data() + first * length); });
    for (int64_t row0 = 0; row0 < p.m; row0 += rows_at_once) {
      const int64_t rows = std::min(rows_at_once, p.m - row0);
      if (!in_place)
        parallel_panels(rows, mr, grain_for(mr * p.k * 4),
                        [&](int64_t first, int64_t count) { pack_rows(p, row0 + first, count, packed_a.data() + first * length); });
      // Tiles of about 192 x 128, or more rows: a panel of B is multiplied by panels of A, which are narrower to load. Tile sizes differ
      // by at most one panel, so that threads with equally many tiles have equal work. Small products are split further, so that every
      // thread gets tiles.
      const int64_t row_panels = divide_up(rows, mr), col_panels = divide_up(cols, nr);
      int64_t down = divide_up(row_panels, panels_down), across = divide_up(col_panels, 4);
      if (down * across < min_tiles_to_pack) across = std::min(col_panels, divide_up(min_tiles_to_pack, down));
      if (down * across < min_tiles_to_pack) down = std::min(row_panels, divide_up(min_tiles_to_pack, across));
      const BlockJob<T> job{p, length, a, packed_b.data(), row0, col0};
      parallel_for(0, down * across, grain_for(rows * cols / (down * across) * p.k), [&](int64_t begin, int64_t end) {
        const MatrixUnitScope unit(kernel);
        for (int64_t t = begin; t < end; ++t) {
          // Tiles are numbered along rows first, so that neighbouring tiles share their rows of A.
          const int64_t i = t / across, j = t % across;
          const int64_t row = i * row_panels / down * mr, col = j * col_panels / across * nr;
          const int64_t row_end = (i + 1) * row_panels / down * mr, col_end = (j + 1) * col_panels / across * nr;
          job.run(row, col, std::min(rows, row_end) - row, std::min(cols, col_end) - col);
        }
      });
    }
  }
}

template <class T>
bool is_skinny(const GemmProblem<T>& p) {
  if (has_few_rows(p) && p.k >= detail::short_dot && p.n > detail::short_line) return p.b.row_stride == 1 || p.b.col_stride == 1;
  return (p.b.row_stride == 1 && p.m <= detail::max_rows_by_dots && (p.m <= 4 || p.k >= detail::short_dot)) ||
         (p.b.col_stride == 1 && p.m <= detail::max_rows_by_rows && (p.m < 4 || p.n > detail::short_line));
}

// Skinny products read B along its longer dimension, since short lines are mostly overhead. If B is stored the other way, it is transposed
// first.
template <class T>
bool should_transpose_b(const GemmProblem<T>& p) {
  if (p.b.col_stride == 1)
    return p.m <= detail::max_rows_by_rows && ((p.n < detail::short_line && p.k >= detail::short_dot) || (p.n < 8 && p.k >= 32));
  return p.b.row_stride == 1 && p.m <= 4 && p.k < detail::short_line && p.n >= 4 * p.k;
}
template <class T>
void multiply_transposed_b(GemmProblem<T> p) {
  const bool by_dots = p.b.col_stride == 1;
  Buffer<T> lines(p.k * p.n);
  const int64_t size = sizeof(T), along = size * (by_dots ? p.b.row_stride : p.b.col_stride);
  const int64_t length = by_dots ? p.k : p.n, count = by_dots ? p.n : p.k;
  parallel_for(0, count, grain_for(length), [&](int64_t begin, int64_t end) {
    gather_rows(reinterpret_cast<char*>(lines.data() + begin * length), reinterpret_cast<const char*>(p.b.data + begin),
                {size, length, along, end - begin, size});
  });
  p.b = {lines.data(), by_dots ? 1 : p.n, by_dots ? p.k : 1};
  multiply_skinny(p);
}

// Whether reading B in place is cheaper than packing it: rows that share few cache sets, or occupy a page each, slow down all but small
// products, and narrow tiles read B so often that only small products or short sums gain. Measured on Zen 5.
template <class T>
bool can_read_in_place(const GemmProblem<T>& p, int64_t mr) {
  const int64_t work = p.m * p.n * p.k, bytes = p.b.row_stride * static_cast<int64_t>(sizeof(T));
  const bool narrow = mr <= 4;
  if (bytes % 4096 == 0 || (narrow && bytes % 1024 == 0)) return work <= int64_t{1} << 18;
  return (bytes <= 4096 && !(narrow && p.k > 128)) || work <= int64_t{1} << 21;
}
// Whether the product can run on unpacked operands and store its results directly.
template <class T>
bool can_multiply_unpacked(const GemmProblem<T>& p) {
  if constexpr (std::is_floating_point_v<T>) {
    const GemmKernels<T>& kernel = product_kernels<T>(p.n);
    const bool by_rows = p.a.col_stride == 1 && p.b.col_stride == 1 && p.out.c.col_stride == 1;
    if (!by_rows || p.m < 4 || p.n < kernel.lanes || !can_read_in_place(p, kernel.tile_rows)) return false;
    return p.out.alpha == 1 && (p.out.beta == 1 || p.out.beta == 0) && p.out.epilogue.empty();
  }
  return false;
}
template <class T>
void multiply_unpacked(const GemmProblem<T>& p) {
  if constexpr (std::is_floating_point_v<T>) {
    const GemmKernels<T>& kernel = product_kernels<T>(p.n);
    const int64_t mr = kernel.tile_rows, nr = kernel.tile_cols, lanes = kernel.lanes;
    // For the last columns, whole vectors would read beyond the end of B.
    const int64_t whole = p.n / lanes * lanes, rest = p.n - whole;
    Scratch<T> last(rest ? p.k * lanes : 0);
    if (rest)
      for (int64_t q = 0; q < p.k; ++q)
        for (int64_t l = 0; l < lanes; ++l) last.data()[q * lanes + l] = l < rest ? p.b.data[q * p.b.row_stride + whole + l] : T(0);
    const int64_t down = divide_up(p.m, mr), depth = even_chunk_length(p.k, 512, 8);  // short sums limit the rounding error
    parallel_for(0, down * divide_up(p.n, nr), grain_for(mr * nr * p.k), [&](int64_t begin, int64_t end) {
      for (int64_t at = 0; at < p.k; at += depth)
        for (int64_t t = begin; t < end; ++t) {  // down first: neighbours share their columns of B
          const int64_t i = t % down * mr, j = t / down * nr, cols = std::min(nr, whole - j);
          const auto multiply = [&](const T* b, int64_t b_stride, int64_t to, int64_t count) {
            kernel.multiply_rows(std::min(depth, p.k - at), p.a.data + i * p.a.row_stride + at, p.a.row_stride, b + at * b_stride, b_stride,
                                 p.out.c.data + i * p.out.c.row_stride + to, p.out.c.row_stride, p.out.beta == 1 || at > 0,
                                 static_cast<int>(std::min(mr, p.m - i)), static_cast<int>(count));
          };
          if (cols > 0) multiply(p.b.data + j, p.b.row_stride, j, cols);
          if (cols < nr && rest) multiply(last.data(), lanes, whole, rest);
        }
    });
  }
}

// Whether the transposed problem has less to pack: for a small C with long sums, if the rows of both operands can be read in place, the
// smaller operand should be B, which is packed.
template <class T>
bool is_transposed_cheaper_to_pack(const GemmProblem<T>& p) {
  if (p.n < 2 * p.m || 8 * p.m * p.n > p.k * (p.n - p.m)) return false;
  GemmProblem<T> other = p;
  transpose_problem(other);
  return can_read_rows(p) && can_read_rows(other);
}

enum class GemmStrategy : uint8_t { no_product, unpacked, transpose_b, skinny, packed };
struct GemmChoice {
  GemmStrategy strategy;
  bool is_transposed;
};
// Chooses a strategy by sizes and strides alone, and transposes the problem where the strategy needs that.
template <class T>
[[gnu::noinline]] GemmChoice choose_strategy(GemmProblem<T>& p) {
  if (p.k <= 0 || p.out.alpha == GemmScalar<T>(0)) return {GemmStrategy::no_product, false};
  const bool is_transposed = p.m > 1 && (p.n == 1 || (p.out.c.row_stride == 1 && p.out.c.col_stride != 1));
  if (is_transposed) transpose_problem(p);
  if (p.n == 1) p.b.col_stride = p.b.row_stride == 1 ? 0 : 1;  // a single column has either order
  if (can_multiply_unpacked(p)) return {GemmStrategy::unpacked, is_transposed};
  if (should_transpose_b(p)) return {GemmStrategy::transpose_b, is_transposed};
  if (is_skinny(p)) return {GemmStrategy::skinny, is_transposed};
  if (p.n <= detail::max_cols_transposed) {
    GemmProblem<T> other = p;
    transpose_problem(other);
    const bool transposes_b = should_transpose_b(other);
    if (transposes_b || is_skinny(other))
      return p = other, GemmChoice{transposes_b ? GemmStrategy::transpose_b : GemmStrategy::skinny, !is_transposed};
  }
  if (is_transposed_cheaper_to_pack(p)) return transpose_problem(p), GemmChoice{GemmStrategy::packed, !is_transposed};
  return {GemmStrategy::packed, is_transposed};
}
template <class T>
[[gnu::noinline]] void run(GemmStrategy strategy, const GemmProblem<T>& p) {
  switch (strategy) {
    case GemmStrategy::no_product: return finish_without_product(p);
    case GemmStrategy::unpacked: return multiply_unpacked(p);
    case GemmStrategy::transpose_b: return multiply_transposed_b(p);
    case GemmStrategy::skinny: return multiply_skinny(p);
    case GemmStrategy::packed: return multiply_packed(p);
  }
}

template <class T>
constexpr bool is_complex_type = false;
template <class T>
constexpr bool is_complex_type<std::complex<T>> = true;
// Complex numbers and uint8_t have no kernels: their products are computed in another type.
template <class T>
constexpr bool has_kernels = !is_complex_type<T> && std::is_same_v<T, Wrapping<T>>;

}  // namespace

template <class T>
void gemm(int64_t m, int64_t n, int64_t k, GemmScalar<T> alpha, ConstMatrix<T> a, ConstMatrix<T> b, GemmScalar<T> beta, Matrix<T> c,
          const Epilogue<T>& epilogue) {
  if constexpr (is_complex_type<T>) {
    detail::gemm_complex(m, n, k, alpha, a, b, beta, c, epilogue);
  } else if constexpr (!std::is_same_v<T, Wrapping<T>>) {
    const auto seen = [](ConstMatrix<T> m) { return ConstMatrix<Wrapping<T>>{as_wrapping(m.data), m.row_stride, m.col_stride}; };
    const Epilogue<Wrapping<T>> after{as_wrapping(epilogue.row_bias), epilogue.row_bias_stride, as_wrapping(epilogue.col_bias),
                                      epilogue.col_bias_stride, epilogue.activation};
    gemm<Wrapping<T>>(m, n, k, Wrapping<T>(alpha), seen(a), seen(b), Wrapping<T>(beta), {as_wrapping(c.data), c.row_stride, c.col_stride},
                      after);
  } else {
    if (m <= 0 || n <= 0) return;
    GemmProblem<T> p{m, n, k, a, b, {alpha, beta, c, epilogue}};
    const GemmChoice choice = choose_strategy(p);
    run(choice.strategy, p);
  }
}

template <class T>
void gemm_batched(int64_t batch, int64_t m, int64_t n, int64_t k, GemmScalar<T> alpha, ConstMatrix<T> a, int64_t a_batch_stride,
                  ConstMatrix<T> b, int64_t b_batch_stride, GemmScalar<T> beta, Matrix<T> c, int64_t c_batch_stride,
                  const Epilogue<T>& epilogue) {
  if (batch <= 0 || m <= 0 || n <= 0) return;
  // If all matrices share B and the rows of A and C are contiguous, the batch is one tall product.
  if (b_batch_stride == 0 && epilogue.row_bias == nullptr && a_batch_stride == m * a.row_stride && c_batch_stride == m * c.row_stride) {
    return gemm<T>(batch * m, n, k, alpha, a, b, beta, c, epilogue);
  }
  const int64_t work = m * n * std::max<int64_t>(k, 1);
  if constexpr (std::is_floating_point_v<T>) {
    const auto transposed = [](auto matrix) { return std::swap(matrix.row_stride, matrix.col_stride), matrix; };
    detail::SmallProducts<T> small{batch, m, n, k, alpha, beta, a, b, c, a_batch_stride, b_batch_stride, c_batch_stride};
    if (n > detail::small_cols)
      small = {batch, n, m, k, alpha, beta, transposed(b), transposed(a), transposed(c), b_batch_stride, a_batch_stride, c_batch_stride};
    if (small.n <= detail::small_cols && small.m <= detail::small_rows && k <= detail::small_depth && k > 0 && epilogue.empty())
      return parallel_for(0, batch, grain_for(4 * work), [&](int64_t begin, int64_t end) { small.run(begin, end); });
  }
  if constexpr (is_complex_type<T>)
    if (detail::is_small_complex(m, n, k) && epilogue.empty())
      return parallel_for(0, batch, grain_for(8 * work), [&](int64_t begin, int64_t end) {
        detail::gemm_complex_small(end - begin, m, n, k, alpha, {a.data + begin * a_batch_stride, a.row_stride, a.col_stride, a.conjugate},
                                   a_batch_stride, {b.data + begin * b_batch_stride, b.row_stride, b.col_stride, b.conjugate},
                                   b_batch_stride, beta, {c.data + begin * c_batch_stride, c.row_stride, c.col_stride}, c_batch_stride);
      });
  GemmProblem<T> all{m, n, k, a, b, {alpha, beta, c, epilogue}};
  GemmChoice choice{};
  if constexpr (has_kernels<T>) choice = choose_strategy(all);
  if (choice.is_transposed) std::swap(a_batch_stride, b_batch_stride);
  auto one = [&](int64_t i) {
    GemmProblem<T> p = all;
    p.a.data += i * a_batch_stride;
    p.b.data += i * b_batch_stride;
    p.out.c.data += i * c_batch_stride;
    if constexpr (has_kernels<T>)
      run(choice.strategy, p);
    else
      gemm<T>(m, n, k, alpha, p.a, p.b, beta, p.out.c, epilogue);
  };
  const auto some = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) one(i);
  };
  if (batch < 4 || work > 32 * work_per_chunk) return some(0, batch);
  parallel_for(0, batch, grain_for(work), [&](int64_t begin, int64_t end) {
    if constexpr (has_kernels<T>) {
      const MatrixUnitScope unit(product_kernels<T>(all.n));
      some(begin, end);
    } else {
      some(begin, end);
    }
  });
}

#define MT_INSTANTIATE(T)                                                                                                            \
  template void gemm<T>(int64_t, int64_t, int64_t, GemmScalar<T>, ConstMatrix<T>, ConstMatrix<T>, GemmScalar<T>, Matrix<T>,          \
                        const Epilogue<T>&);                                                                                         \
  template void gemm_batched<T>(int64_t, int64_t, int64_t, int64_t, GemmScalar<T>, ConstMatrix<T>, int64_t, ConstMatrix<T>, int64_t, \
                                GemmScalar<T>, Matrix<T>, int64_t, const Epilogue<T>&);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(std::complex<float>)
MT_INSTANTIATE(std::complex<double>)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
MT_INSTANTIATE(int8_t)
MT_INSTANTIATE(int16_t)
MT_INSTANTIATE(int32_t)
MT_INSTANTIATE(int64_t)
MT_INSTANTIATE(uint8_t)

}  // namespace mt::cpu
