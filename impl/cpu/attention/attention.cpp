// Attention block by block (Milakov and Gimelshein 2018; Dao et al. 2022): each block of keys updates a running softmax.
#include "cpu/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/allocator.h"
#include "cpu/attention/attention_rows.h"
#include "cpu/gemm/gemm.h"
#include "cpu/gemm/gemm_choice.h"
#include "cpu/math/vecmath.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

using detail::add_mask_to_row;
using detail::row_exp;
using detail::row_grad;
using detail::row_max;
using detail::row_weights;

constexpr int64_t q_block = 128;
constexpr int64_t k_block = 512;

// The type in which attention over T is computed: float for the half types.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class W>
struct Scratch {
  size_t bytes;
  W* data;
  explicit Scratch(int64_t count) : bytes(static_cast<size_t>(count) * sizeof(W)), data(static_cast<W*>(allocate(bytes))) {}
  ~Scratch() { deallocate(data, bytes); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

// The rows of one head, each contiguous. Wide types are used in place; others are widened into scratch memory.
template <class T>
struct HeadRows {
  using W = Wide<T>;
  Scratch<W> copy;
  ConstMatrix<W> matrix;

  HeadRows(const T* data, int64_t row_stride, int64_t col_stride, int64_t rows, int64_t cols)
      : copy(std::is_same_v<T, W> && col_stride == 1 ? 0 : rows * cols), matrix{} {
    if constexpr (std::is_same_v<T, W>) {
      if (col_stride == 1) {
        matrix = {data, row_stride, 1};
        return;
      }
    }
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) copy.data[i * cols + j] = data[i * row_stride + j * col_stride];
    }
    matrix = {copy.data, cols, 1};
  }
};

template <class T>
T* start_of_head(const Heads<T>& x, int64_t b, int64_t h) {
  return x.data + b * x.batch_stride + h * x.head_stride;
}
template <class W>
ConstMatrix<W> rows_from(ConstMatrix<W> x, int64_t row) {
  return {x.data + row * x.row_stride, x.row_stride, x.col_stride};
}
template <class W>
ConstMatrix<W> transpose_matrix(ConstMatrix<W> x) {
  return {x.data, x.col_stride, x.row_stride};
}

// Adds the mask to a block of scores and masks keys that causality excludes.
template <class W, class M>
void mask_block(const AttentionShape& shape, const Heads<const M>& mask, int64_t b, int64_t h, int64_t row0, int64_t col0, int64_t rows,
                int64_t cols, W* scores) {
  for (int64_t i = 0; i < rows; ++i) {
    W* line = scores + i * cols;
    if (mask.data != nullptr) {
      const M* from = start_of_head(mask, b, h) + (row0 + i) * mask.row_stride + col0 * mask.col_stride;
      if (mask.col_stride == 1) {
        add_mask_to_row<W, M>(line, from, cols);
      } else {
        for (int64_t j = 0; j < cols; ++j) line[j] += static_cast<W>(from[j * mask.col_stride]);
      }
    }
    if (shape.causal) {
      for (int64_t j = std::max<int64_t>(0, row0 + i + 1 - col0); j < cols; ++j) {
        line[j] = -std::numeric_limits<W>::infinity();
      }
    }
  }
}

// scores[j][i] += mask[i][j] for i, j < 4; transposes the mask in registers.
template <class W, class M>
void add_transposed(W* scores, int64_t stride, const M* mask, int64_t mask_stride) {
  typedef W Four __attribute__((vector_size(4 * sizeof(W))));
  typedef std::conditional_t<sizeof(W) == 8, int64_t, int32_t> Index __attribute__((vector_size(4 * sizeof(W))));
  Four x[4];
  for (int i = 0; i < 4; ++i) {
    const M* line = mask + i * mask_stride;
    x[i] = Four{static_cast<W>(line[0]), static_cast<W>(line[1]), static_cast<W>(line[2]), static_cast<W>(line[3])};
  }
  const Four low[] = {__builtin_shuffle(x[0], x[1], Index{0, 4, 1, 5}), __builtin_shuffle(x[2], x[3], Index{0, 4, 1, 5})};
  const Four high[] = {__builtin_shuffle(x[0], x[1], Index{2, 6, 3, 7}), __builtin_shuffle(x[2], x[3], Index{2, 6, 3, 7})};
  const Four transposed_mask[] = {__builtin_shuffle(low[0], low[1], Index{0, 1, 4, 5}),
                                  __builtin_shuffle(low[0], low[1], Index{2, 3, 6, 7}),
                                  __builtin_shuffle(high[0], high[1], Index{0, 1, 4, 5}),
                                  __builtin_shuffle(high[0], high[1], Index{2, 3, 6, 7})};
  for (int j = 0; j < 4; ++j) {
    Four sum;
    std::memcpy(&sum, scores + j * stride, sizeof(sum));
    sum += transposed_mask[j];
    std::memcpy(scores + j * stride, &sum, sizeof(sum));
  }
}

// Masks transposed scores, which have a row per key.
template <class W, class M>
void mask_transposed(const AttentionShape& shape, const Heads<const M>& mask, int64_t b, int64_t h, int64_t row0, int64_t col0,
                     int64_t rows, int64_t cols, W* scores, int64_t stride) {
  if (mask.data != nullptr) {
    const M* from = start_of_head(mask, b, h) + row0 * mask.row_stride + col0 * mask.col_stride;
    if (mask.row_stride == 0) {  // all rows share one mask
      for (int64_t j = 0; j < cols; ++j) {
        const W hidden = static_cast<W>(from[j * mask.col_stride]);
        for (int64_t i = 0; i < rows; ++i) scores[j * stride + i] += hidden;
      }
    } else {  // as the mask is stored: a piece of a row at a time, or 4 x 4 blocks if keys are neighbours
      const int64_t fours = mask.col_stride == 1 ? cols / 4 * 4 : 0;
      int64_t i = 0;
      for (; i + 4 <= rows; i += 4)
        for (int64_t j = 0; j < fours; j += 4)
          add_transposed<W, M>(scores + j * stride + i, stride, from + i * mask.row_stride + j, mask.row_stride);
      for (int64_t r = 0; r < rows; ++r) {
        const M* line = from + r * mask.row_stride;
        for (int64_t j = r < i ? fours : 0; j < cols; ++j) scores[j * stride + r] += static_cast<W>(line[j * mask.col_stride]);
      }
    }
  }
  for (int64_t j = 0; shape.causal && j < cols; ++j)
    std::fill_n(scores + j * stride, std::clamp<int64_t>(col0 + j - row0, 0, rows), -std::numeric_limits<W>::infinity());
}

int64_t count_visible_keys(const AttentionShape& shape, int64_t last_row) {
  return shape.causal ? std::min(shape.k_len, last_row + 1) : shape.k_len;
}

// Packs the columns of a k x cols matrix into panels, each k deep.
template <class W>
void pack_panels(ConstMatrix<W> x, int64_t k, int64_t cols, W* place) {
  const detail::GemmKernels<W>& kernel = detail::kernels<W>();
  const int64_t width = kernel.tile_cols;
  for (int64_t j = 0; j < cols; j += width) {
    kernel.pack_cols(x.data + j * x.col_stride, x.col_stride, x.row_stride, static_cast<int>(std::min(width, cols - j)), k, place + j * k);
  }
}

// Keys and values of one head as packed panels: each key is a column of the first product and a row of the second.
template <class W>
struct Panels {
  const W* keys;
  const W* values;

  static int64_t round_up(int64_t n) {
    const int64_t width = detail::kernels<W>().tile_cols;
    return (n + width - 1) / width * width;
  }
  static int64_t size(const AttentionShape& shape) {
    return round_up(shape.k_len) * shape.head_dim + round_up(shape.value_dim) * shape.k_len;
  }
  static Panels at(const AttentionShape& shape, const W* place) { return {place, place + round_up(shape.k_len) * shape.head_dim}; }
  static void fill(const AttentionShape& shape, ConstMatrix<W> k, ConstMatrix<W> v, W* place) {
    pack_panels(transpose_matrix(k), shape.head_dim, shape.k_len, place);
    pack_panels(v, shape.k_len, shape.value_dim, place + round_up(shape.k_len) * shape.head_dim);
  }
};

// C[rows][cols] (+)= A[rows][k] * B, where B is packed in panels that are `panel_depth` rows deep, of which the first k are used. Calls
// prefetch(j, n) before it multiplies columns j to j + n.
constexpr auto prefetch_nothing = [](int64_t, int64_t) {};
template <class W, class F = decltype(prefetch_nothing)>
void multiply_panels(int64_t rows, int64_t cols, int64_t k, const W* a, int64_t a_stride, const W* panels, int64_t panel_depth, W* c,
                     int64_t c_stride, bool accumulate, F prefetch = prefetch_nothing) {
  const detail::GemmKernels<W>& kernel = detail::kernels<W>();
  for (int64_t j = 0; j < cols; j += kernel.tile_cols) {
    prefetch(j, kernel.tile_cols);
    kernel.multiply_rows(k, a, a_stride, panels + j * panel_depth, kernel.tile_cols, c + j, c_stride, accumulate, static_cast<int>(rows),
                         static_cast<int>(std::min<int64_t>(kernel.tile_cols, cols - j)));
  }
}

// The running softmax state of some rows after a block of keys.
template <class W>
struct RowState {
  Scratch<W> sums;
  W highest[q_block];
  W total[q_block];

  RowState(int64_t rows, int64_t dim) : sums(rows * dim) {
    std::fill_n(highest, rows, -std::numeric_limits<W>::infinity());
    std::fill_n(total, rows, W(0));
  }

  // Converts scores to softmax weights, and rescales earlier sums to the new maximum.
  void add_scores(int64_t first_row, int64_t rows, W* scores, int64_t cols, int64_t dim, bool first) {
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t r = first_row + i;
      W* line = scores + i * cols;
      const W peak = std::max(highest[r], row_max<W>(line, cols));
      const W shift = peak == -std::numeric_limits<W>::infinity() ? W(0) : peak;
      const W part = row_exp<W>(line, cols, shift);
      const W correction = first ? W(0) : vec::exp(highest[r] - shift);
      if (!first && correction != W(1)) {
        for (int64_t j = 0; j < dim; ++j) sums.data[r * dim + j] *= correction;
      }
      total[r] = total[r] * correction + part;
      highest[r] = peak;
    }
  }

  template <class T, class L>
  void write_output(int64_t rows, int64_t dim, T* to, int64_t row_stride, int64_t col_stride, L* logsumexp, int64_t log_stride) const {
    for (int64_t i = 0; i < rows; ++i) {
      const bool nothing = highest[i] == -std::numeric_limits<W>::infinity();
      const W factor = nothing ? W(0) : W(1) / total[i];
      const W* from = sums.data + i * dim;
      T* line = to + i * row_stride;
      if (col_stride == 1) {
        for (int64_t j = 0; j < dim; ++j) line[j] = static_cast<T>(from[j] * factor);
      } else {
        for (int64_t j = 0; j < dim; ++j) line[j * col_stride] = static_cast<T>(from[j] * factor);
      }
      logsumexp[i * log_stride] = static_cast<L>(nothing ? W(0) : highest[i] + std::log(total[i]));
    }
  }
};

// Multiplies tiles of query rows, whose scores stay in the L1 cache, by blocks of keys and values, which stay in L2.
template <class W, class M>
void forward_in_tiles(const AttentionShape& shape, int64_t b, int64_t h, int64_t row0, int64_t rows, ConstMatrix<W> q,
                      const Panels<W>& panels, const Heads<const M>& mask, RowState<W>& state) {
  const int64_t d = shape.head_dim;
  const int64_t dim = shape.value_dim;
  const int64_t tile = detail::kernels<W>().tile_rows;
  const int64_t panel = detail::kernels<W>().tile_cols;
  const int64_t block = k_block / panel * panel;
  const W scale = static_cast<W>(shape.scale);
  const int64_t keys = count_visible_keys(shape, row0 + rows - 1);
  const bool prefetches = mask.data != nullptr && mask.col_stride == 1 && mask.row_stride != 0;
  Scratch<W> queries(rows * d);
  for (int64_t i = 0; i < rows; ++i) {
    const W* from = q.data + (row0 + i) * q.row_stride;
    for (int64_t j = 0; j < d; ++j) queries.data[i * d + j] = from[j] * scale;
  }
  Scratch<W> scores(tile * k_block);
  for (int64_t col0 = 0; col0 < keys; col0 += block) {
    for (int64_t i = 0; i < rows; i += tile) {
      const int64_t count = std::min(tile, rows - i);
      const int64_t cols = std::min(block, count_visible_keys(shape, row0 + i + count - 1) - col0);
      if (cols <= 0) continue;  // the first rows of a causal block see fewer keys
      // Prefetch the mask during the multiplication: its rows are too short for the hardware prefetcher.
      const M* hidden = prefetches ? start_of_head(mask, b, h) + (row0 + i) * mask.row_stride + col0 : nullptr;
      // Inlined by force: gcc removes a call of a function that only prefetches.
      const auto prefetch = [&](int64_t j, int64_t n) __attribute__((always_inline)) {
        for (int64_t r = 0; prefetches && r < count; ++r)
          for (int64_t c = j; c < std::min(j + n, cols); c += 64 / int64_t(sizeof(M))) __builtin_prefetch(hidden + r * mask.row_stride + c);
      };
      multiply_panels<W>(count, cols, d, queries.data + i * d, d, panels.keys + col0 * d, d, scores.data, cols, false, prefetch);
      mask_block<W, M>(shape, mask, b, h, row0 + i, col0, count, cols, scores.data);
      state.add_scores(i, count, scores.data, cols, dim, col0 == 0);
      multiply_panels<W>(count, dim, cols, scores.data, cols, panels.values + col0 * panel, shape.k_len, state.sums.data + i * dim, dim,
                         col0 > 0);
    }
  }
}

// For a few query rows: reads keys and values in place, without packing.
template <class W, class M>
void forward_few_rows(const AttentionShape& shape, int64_t b, int64_t h, int64_t row0, int64_t rows, ConstMatrix<W> q, ConstMatrix<W> k,
                      ConstMatrix<W> v, const Heads<const M>& mask, RowState<W>& state) {
  const int64_t dim = shape.value_dim;
  const int64_t keys = count_visible_keys(shape, row0 + rows - 1);
  Scratch<W> scores(rows * k_block);
  for (int64_t col0 = 0; col0 < keys; col0 += k_block) {
    const int64_t cols = std::min(k_block, keys - col0);
    gemm<W>(rows, cols, shape.head_dim, static_cast<W>(shape.scale), rows_from(q, row0), transpose_matrix(rows_from(k, col0)), W(0),
            {scores.data, cols, 1});
    mask_block<W, M>(shape, mask, b, h, row0, col0, rows, cols, scores.data);
    state.add_scores(0, rows, scores.data, cols, dim, col0 == 0);
    gemm<W>(rows, dim, cols, W(1), {scores.data, cols, 1}, rows_from(v, col0), col0 == 0 ? W(0) : W(1), {state.sums.data, dim, 1});
  }
}

constexpr int64_t max_few_rows = 4;

// Computes the gradients for a few query rows: scores are stored row by row, and each product is written once. hide(context, first key,
// keys, scores) masks a block of scores.
template <class W>
[[gnu::noinline]] void backward_few_rows(const AttentionShape& shape, ConstMatrix<W> g, ConstMatrix<W> q, ConstMatrix<W> k,
                                         ConstMatrix<W> v, const W* delta, const W* shift, void (*hide)(const void*, int64_t, int64_t, W*),
                                         const void* context, W* dq, W* dk, W* dv) {
  const int64_t rows = shape.q_len, d = shape.head_dim, e = shape.value_dim, keys = count_visible_keys(shape, rows - 1);
  Scratch<W> weights(rows * k_block), grads(rows * k_block), same(k_block);
  for (int64_t col0 = 0; col0 < keys; col0 += k_block) {
    const int64_t cols = std::min(k_block, keys - col0);
    gemm<W>(rows, cols, d, static_cast<W>(shape.scale), q, transpose_matrix(rows_from(k, col0)), W(0), {weights.data, cols, 1});
    hide(context, col0, cols, weights.data);
    gemm<W>(rows, cols, e, W(1), g, transpose_matrix(rows_from(v, col0)), W(0), {grads.data, cols, 1});
    for (int64_t i = 0; i < rows; ++i) {
      std::fill_n(same.data, cols, shift[i]);
      row_weights<W>(weights.data + i * cols, same.data, cols);
      std::fill_n(same.data, cols, delta[i]);
      row_grad<W>(weights.data + i * cols, grads.data + i * cols, same.data, cols, static_cast<W>(shape.scale));
    }
    gemm<W>(cols, e, rows, W(1), {weights.data, 1, cols}, g, W(0), {dv + col0 * e, e, 1});
    gemm<W>(cols, d, rows, W(1), {grads.data, 1, cols}, q, W(0), {dk + col0 * d, d, 1});
    gemm<W>(rows, d, cols, W(1), {grads.data, cols, 1}, rows_from(k, col0), col0 == 0 ? W(0) : W(1), {dq, d, 1});
  }
  if (keys <= 0) std::fill_n(dq, rows * d, W(0));
  std::fill_n(dk + keys * d, (shape.k_len - keys) * d, W(0));
  std::fill_n(dv + keys * e, (shape.k_len - keys) * e, W(0));
}

}  // namespace

template <class T, class M, class L>
void attention_forward(const AttentionShape& shape, Heads<const T> query, Heads<const T> key, Heads<const T> value, Heads<const M> mask,
                       Heads<T> out, Heads<L> logsumexp) {
  using W = Wide<T>;
  const int64_t heads = shape.batch * shape.heads;
  const int64_t blocks = (shape.q_len + q_block - 1) / q_block;
  const bool thin = shape.q_len <= max_few_rows;
  auto rows_of = [](const Heads<const T>& x, int64_t index, int64_t heads, int64_t rows, int64_t cols) {
    return HeadRows<T>(start_of_head(x, index / heads, index % heads), x.row_stride, x.col_stride, rows, cols);
  };
  auto fill = [&](int64_t index, W* place) {
    const HeadRows<T> k = rows_of(key, index, shape.heads, shape.k_len, shape.head_dim);
    const HeadRows<T> v = rows_of(value, index, shape.heads, shape.k_len, shape.value_dim);
    Panels<W>::fill(shape, k.matrix, v.matrix, place);
  };
  // Several query blocks of one head share packed panels of keys and values; a single block packs them just before use.
  const int64_t panel_size = thin ? 0 : Panels<W>::size(shape);
  const bool shared = !thin && blocks > 1;
  Scratch<W> all_panels(shared ? heads * panel_size : 0);
  if (shared) {
    parallel_for(0, heads, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, panel_size)), [&](int64_t begin, int64_t end) {
      for (int64_t index = begin; index < end; ++index) fill(index, all_panels.data + index * panel_size);
    });
  }
  const int64_t work = std::min(q_block, shape.q_len) * std::max<int64_t>(1, shape.k_len) * (shape.head_dim + shape.value_dim + 16);
  const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 18) / work);
  parallel_for(0, heads * blocks, grain, [&](int64_t begin, int64_t end) {
    Scratch<W> own_panels(shared ? 0 : panel_size);
    for (; begin < end; ++begin) {
      const int64_t index = begin / blocks;
      const int64_t b = index / shape.heads;
      const int64_t h = index % shape.heads;
      const int64_t row0 = begin % blocks * q_block;
      const int64_t rows = std::min(q_block, shape.q_len - row0);
      RowState<W> state(rows, shape.value_dim);
      if (shape.k_len == 0) std::fill_n(state.sums.data, rows * shape.value_dim, W(0));
      const HeadRows<T> q = rows_of(query, index, shape.heads, shape.q_len, shape.head_dim);
      if (thin) {
        const HeadRows<T> k = rows_of(key, index, shape.heads, shape.k_len, shape.head_dim);
        const HeadRows<T> v = rows_of(value, index, shape.heads, shape.k_len, shape.value_dim);
        forward_few_rows<W, M>(shape, b, h, row0, rows, q.matrix, k.matrix, v.matrix, mask, state);
      } else {
        if (!shared) fill(index, own_panels.data);
        const W* place = shared ? all_panels.data + index * panel_size : own_panels.data;
        forward_in_tiles<W, M>(shape, b, h, row0, rows, q.matrix, Panels<W>::at(shape, place), mask, state);
      }
      state.write_output(rows, shape.value_dim, start_of_head(out, b, h) + row0 * out.row_stride, out.row_stride, out.col_stride,
                         start_of_head(logsumexp, b, h) + row0 * logsumexp.row_stride, logsumexp.row_stride);
    }
  });
}

namespace {

template <class T>
void store_head(const Wide<T>* from, int64_t rows, int64_t cols, const Heads<T>& to, int64_t b, int64_t h) {
  T* data = start_of_head(to, b, h);
  for (int64_t i = 0; i < rows; ++i) {
    T* line = data + i * to.row_stride;
    const Wide<T>* values = from + i * cols;
    if (to.col_stride == 1) {
      for (int64_t j = 0; j < cols; ++j) line[j] = static_cast<T>(values[j]);
    } else {
      for (int64_t j = 0; j < cols; ++j) line[j * to.col_stride] = static_cast<T>(values[j]);
    }
  }
}

template <class T, class M, class L>
void backward_head(const AttentionShape& shape, int64_t b, int64_t h, const Heads<const T>& grad_out, const Heads<const T>& query,
                   const Heads<const T>& key, const Heads<const T>& value, const Heads<const M>& mask, const Heads<const T>& out,
                   const Heads<const L>& logsumexp, const Heads<T>& grad_query, const Heads<T>& grad_key, const Heads<T>& grad_value) {
  using W = Wide<T>;
  const int64_t d = shape.head_dim;
  const int64_t e = shape.value_dim;
  const HeadRows<T> g(start_of_head(grad_out, b, h), grad_out.row_stride, grad_out.col_stride, shape.q_len, e);
  const HeadRows<T> q(start_of_head(query, b, h), query.row_stride, query.col_stride, shape.q_len, d);
  const HeadRows<T> k(start_of_head(key, b, h), key.row_stride, key.col_stride, shape.k_len, d);
  const HeadRows<T> v(start_of_head(value, b, h), value.row_stride, value.col_stride, shape.k_len, e);
  Scratch<W> dq(shape.q_len * d);
  Scratch<W> dk(shape.k_len * d);
  Scratch<W> dv(shape.k_len * e);
  // sum of out * grad_out over query row `row`: the term that the softmax's gradient subtracts. shift_of returns the row's logsumexp.
  const auto sum_of_products = [&](int64_t row) __attribute__((noinline)) {
    const T* o = start_of_head(out, b, h) + row * out.row_stride;
    const W* line = rows_from(g.matrix, row).data;
    constexpr int64_t lanes = 8;
    W sums[lanes] = {};
    int64_t j = 0;
    if (out.col_stride == 1) {
      for (; j + lanes <= e; j += lanes) {
        for (int64_t l = 0; l < lanes; ++l) sums[l] += line[j + l] * static_cast<W>(o[j + l]);
      }
    }
    for (; j < e; ++j) sums[0] += line[j] * static_cast<W>(o[j * out.col_stride]);
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  };
  const auto shift_of = [&](int64_t row) { return static_cast<W>(start_of_head(logsumexp, b, h)[row * logsumexp.row_stride]); };
  const auto store = [&]() __attribute__((noinline)) {
    store_head<T>(dq.data, shape.q_len, d, grad_query, b, h);
    store_head<T>(dk.data, shape.k_len, d, grad_key, b, h);
    store_head<T>(dv.data, shape.k_len, e, grad_value, b, h);
  };
  if (shape.q_len <= max_few_rows) {
    W delta[max_few_rows], shift[max_few_rows];
    for (int64_t i = 0; i < shape.q_len; ++i) delta[i] = sum_of_products(i), shift[i] = shift_of(i);
    const auto mask_scores = [&](int64_t col0, int64_t cols, W* scores) {
      mask_block<W, M>(shape, mask, b, h, 0, col0, shape.q_len, cols, scores);
    };
    const auto hide = [](const void* context, int64_t col0, int64_t cols, W* scores) {
      (*static_cast<decltype(&mask_scores)>(context))(col0, cols, scores);
    };
    backward_few_rows<W>(shape, g.matrix, q.matrix, k.matrix, v.matrix, delta, shift, hide, &mask_scores, dq.data, dk.data, dv.data);
    return store();
  }
  std::fill_n(dq.data, shape.q_len * d, W(0));
  std::fill_n(dk.data, shape.k_len * d, W(0));
  std::fill_n(dv.data, shape.k_len * e, W(0));
  // Scores are stored transposed, a row per key, so that weights and their gradients are the left operands of the products that give the
  // gradients of keys and values.
  const detail::GemmKernels<W>& kernel = detail::kernels<W>();
  const int64_t tile = kernel.tile_rows;
  const int64_t panel = kernel.tile_cols;
  const int64_t most = Panels<W>::round_up(q_block);
  const int64_t wide = Panels<W>::round_up(std::max(d, e));
  Scratch<W> scaled(q_block * d);
  Scratch<W> q_across(most * d);  // panels of rows: each row is a column of the panel
  Scratch<W> g_across(most * e);
  Scratch<W> q_along(q_block * wide);  // panels of columns
  Scratch<W> g_along(q_block * wide);
  Scratch<W> weights(tile * q_block);
  Scratch<W> grads(k_block * q_block);
  for (int64_t row0 = 0; row0 < shape.q_len; row0 += q_block) {
    const int64_t rows = std::min(q_block, shape.q_len - row0);
    const int64_t keys = count_visible_keys(shape, row0 + rows - 1);
    W delta[q_block];
    W shift[q_block];
    for (int64_t i = 0; i < rows; ++i) {
      delta[i] = sum_of_products(row0 + i);
      shift[i] = shift_of(row0 + i);
      const W* from = rows_from(q.matrix, row0 + i).data;
      for (int64_t j = 0; j < d; ++j) scaled.data[i * d + j] = from[j] * static_cast<W>(shape.scale);
    }
    pack_panels<W>({scaled.data, 1, d}, d, rows, q_across.data);
    pack_panels<W>(rows_from(q.matrix, row0), rows, d, q_along.data);
    pack_panels<W>(transpose_matrix(rows_from(g.matrix, row0)), e, rows, g_across.data);
    pack_panels<W>(rows_from(g.matrix, row0), rows, e, g_along.data);
    for (int64_t col0 = 0; col0 < keys; col0 += k_block) {
      const int64_t cols = std::min(k_block, keys - col0);
      for (int64_t j = 0; j < cols; j += tile) {
        const int64_t count = std::min(tile, cols - j);
        const int64_t key = col0 + j;
        // Skips rows before the first one that sees these keys, in whole panels.
        const int64_t first = shape.causal ? std::max<int64_t>(0, key - row0) / panel * panel : 0;
        const int64_t seen = rows - first;
        W* p = weights.data;
        W* ds = grads.data + j * rows + first;
        multiply_panels<W>(count, seen, d, rows_from(k.matrix, key).data, k.matrix.row_stride, q_across.data + first * d, d, p, rows,
                           false);
        mask_transposed<W, M>(shape, mask, b, h, row0 + first, key, seen, count, p, rows);
        for (int64_t i = 0; i < count; ++i) row_weights<W>(p + i * rows, shift + first, seen);
        multiply_panels<W>(count, seen, e, rows_from(v.matrix, key).data, v.matrix.row_stride, g_across.data + first * e, e, ds, rows,
                           false);
        for (int64_t i = 0; i < count; ++i) {
          row_grad<W>(p + i * rows, ds + i * rows, delta + first, seen, static_cast<W>(shape.scale));
          std::fill_n(ds + i * rows - first, first, W(0));
        }
        multiply_panels<W>(count, e, seen, p, rows, g_along.data + first * panel, rows, dv.data + key * e, e, true);
        multiply_panels<W>(count, d, seen, ds, rows, q_along.data + first * panel, rows, dk.data + key * d, d, true);
      }
      gemm<W>(rows, d, cols, W(1), {grads.data, 1, rows}, rows_from(k.matrix, col0), W(1), {dq.data + row0 * d, d, 1});
    }
  }
  store();
}

}  // namespace

template <class T, class M, class L>
void attention_backward(const AttentionShape& shape, Heads<const T> grad_out, Heads<const T> query, Heads<const T> key,
                        Heads<const T> value, Heads<const M> mask, Heads<const T> out, Heads<const L> logsumexp, Heads<T> grad_query,
                        Heads<T> grad_key, Heads<T> grad_value) {
  parallel_for(0, shape.batch * shape.heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      backward_head<T, M, L>(shape, index / shape.heads, index % shape.heads, grad_out, query, key, value, mask, out, logsumexp, grad_query,
                             grad_key, grad_value);
    }
  });
}

#define MT_INSTANTIATE(T, M, L)                                                                                                    \
  template void attention_forward<T, M, L>(const AttentionShape&, Heads<const T>, Heads<const T>, Heads<const T>, Heads<const M>,  \
                                           Heads<T>, Heads<L>);                                                                    \
  template void attention_backward<T, M, L>(const AttentionShape&, Heads<const T>, Heads<const T>, Heads<const T>, Heads<const T>, \
                                            Heads<const M>, Heads<const T>, Heads<const L>, Heads<T>, Heads<T>, Heads<T>);
MT_INSTANTIATE(float, float, float)
MT_INSTANTIATE(double, double, double)
MT_INSTANTIATE(Half, Half, float)
MT_INSTANTIATE(Half, float, float)
MT_INSTANTIATE(BFloat16, BFloat16, float)
MT_INSTANTIATE(BFloat16, float, float)

}  // namespace mt::cpu
