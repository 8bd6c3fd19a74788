// Attention block by block (Milakov and Gimelshein 2018; Dao et al. 2022): the softmax is corrected as keys come in.
#include "attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "allocator.h"
#include "capability.h"
#include "gemm.h"
#include "parallel.h"
#include "vecmath.h"

namespace mt::cpu {
namespace {

constexpr int64_t q_block = 128;
constexpr int64_t k_block = 512;

// Half types are computed in float.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class W>
struct Scratch {
  size_t bytes;
  W* data;
  explicit Scratch(int64_t count)
      : bytes(static_cast<size_t>(count) * sizeof(W)), data(static_cast<W*>(allocate(bytes))) {}
  ~Scratch() { deallocate(data, bytes); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

// The rows of one head. Wide types are used in place; narrow ones are widened into scratch.
template <class T>
struct HeadRows {
  using W = Wide<T>;
  Scratch<W> copy;
  ConstMatrix<W> matrix;

  HeadRows(const T* data, int64_t row_stride, int64_t col_stride, int64_t rows, int64_t cols)
      : copy(std::is_same_v<T, W> ? 0 : rows * cols), matrix{} {
    if constexpr (std::is_same_v<T, W>) {
      matrix = {data, row_stride, col_stride};
    } else {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < cols; ++j) copy.data[i * cols + j] = data[i * row_stride + j * col_stride];
      }
      matrix = {copy.data, cols, 1};
    }
  }
};

template <class T>
T* head(const Heads<T>& x, int64_t b, int64_t h) {
  return x.data + b * x.batch_stride + h * x.head_stride;
}
template <class W>
ConstMatrix<W> from_row(ConstMatrix<W> x, int64_t row) {
  return {x.data + row * x.row_stride, x.row_stride, x.col_stride};
}
template <class W>
ConstMatrix<W> transposed(ConstMatrix<W> x) {
  return {x.data, x.col_stride, x.row_stride};
}

#define MT_INLINE __attribute__((always_inline)) inline

// Four running maxima and sums: the order does not depend on the level, so neither do the bits.
template <class W>
MT_INLINE W row_max_loop(const W* row, int64_t n) {
  constexpr int lanes = 16;
  const W lowest = -std::numeric_limits<W>::infinity();
  W best[lanes];
  for (int l = 0; l < lanes; ++l) best[l] = lowest;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int l = 0; l < lanes; ++l) best[l] = row[i + l] > best[l] ? row[i + l] : best[l];
  }
  for (; i < n; ++i) best[0] = row[i] > best[0] ? row[i] : best[0];
  W result = best[0];
  for (int l = 1; l < lanes; ++l) result = best[l] > result ? best[l] : result;
  return result;
}

// row = exp(row - shift); returns the sum.
template <class W>
MT_INLINE W row_exp_loop(W* row, int64_t n, W shift) {
  constexpr int lanes = 16;
  W sums[lanes] = {};
  for (int64_t i = 0; i < n; ++i) row[i] = vec::exp(row[i] - shift);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (int l = 0; l < lanes; ++l) sums[l] += row[i + l];
  }
  for (; i < n; ++i) sums[0] += row[i];
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) sums[l] += sums[l + half];
  }
  return sums[0];
}

// grad = p * (grad - delta) * scale, the gradient of the scores.
template <class W>
MT_INLINE void row_grad_loop(const W* p, W* grad, int64_t n, W delta, W scale) {
  for (int64_t i = 0; i < n; ++i) grad[i] = p[i] * (grad[i] - delta) * scale;
}

#define MT_LEVELS(result, name, parameters, arguments)                             \
  template <class W>                                                               \
  MT_TARGET_BASELINE result name##_baseline parameters {                           \
    return name##_loop<W> arguments;                                               \
  }                                                                                \
  template <class W>                                                               \
  MT_TARGET_AVX2 result name##_avx2 parameters {                                   \
    return name##_loop<W> arguments;                                               \
  }                                                                                \
  template <class W>                                                               \
  MT_TARGET_AVX512 result name##_avx512 parameters {                               \
    return name##_loop<W> arguments;                                               \
  }                                                                                \
  template <class W>                                                               \
  result name parameters {                                                         \
    if (cpu_capability() == Capability::avx512) return name##_avx512<W> arguments; \
    if (cpu_capability() == Capability::avx2) return name##_avx2<W> arguments;     \
    return name##_baseline<W> arguments;                                           \
  }
MT_LEVELS(W, row_max, (const W* row, int64_t n), (row, n))
MT_LEVELS(W, row_exp, (W * row, int64_t n, W shift), (row, n, shift))
MT_LEVELS(void, row_grad, (const W* p, W* grad, int64_t n, W delta, W scale), (p, grad, n, delta, scale))

// Adds the mask to a block of scores and hides what causality hides.
template <class W, class M>
void mask_block(const AttentionShape& shape, const Heads<const M>& mask, int64_t b, int64_t h, int64_t row0,
                int64_t col0, int64_t rows, int64_t cols, W* scores) {
  for (int64_t i = 0; i < rows; ++i) {
    W* line = scores + i * cols;
    if (mask.data != nullptr) {
      const M* from = head(mask, b, h) + (row0 + i) * mask.row_stride + col0 * mask.col_stride;
      if (mask.col_stride == 1) {
        for (int64_t j = 0; j < cols; ++j) line[j] += static_cast<W>(from[j]);
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

int64_t visible_keys(const AttentionShape& shape, int64_t last_row) {
  return shape.causal ? std::min(shape.k_len, last_row + 1) : shape.k_len;
}

template <class T, class M, class L>
void forward_block(const AttentionShape& shape, int64_t b, int64_t h, int64_t row0, int64_t rows,
                   ConstMatrix<Wide<T>> q, ConstMatrix<Wide<T>> k, ConstMatrix<Wide<T>> v, const Heads<const M>& mask,
                   const Heads<T>& out, const Heads<L>& logsumexp) {
  using W = Wide<T>;
  const int64_t dim = shape.value_dim;
  const int64_t keys = visible_keys(shape, row0 + rows - 1);
  Scratch<W> scores(rows * std::min(k_block, std::max<int64_t>(keys, 1)));
  Scratch<W> sums(rows * dim);
  W highest[q_block];
  W total[q_block];
  std::fill_n(highest, rows, -std::numeric_limits<W>::infinity());
  std::fill_n(total, rows, W(0));
  std::fill_n(sums.data, rows * dim, W(0));
  for (int64_t col0 = 0; col0 < keys; col0 += k_block) {
    const int64_t cols = std::min(k_block, keys - col0);
    gemm<W>(rows, cols, shape.head_dim, static_cast<W>(shape.scale), from_row(q, row0), transposed(from_row(k, col0)),
            W(0), {scores.data, cols, 1});
    mask_block<W, M>(shape, mask, b, h, row0, col0, rows, cols, scores.data);
    for (int64_t i = 0; i < rows; ++i) {
      W* line = scores.data + i * cols;
      const W peak = std::max(highest[i], row_max<W>(line, cols));
      const W shift = peak == -std::numeric_limits<W>::infinity() ? W(0) : peak;
      const W part = row_exp<W>(line, cols, shift);
      const W correction = col0 == 0 ? W(0) : vec::exp(highest[i] - shift);
      if (col0 != 0 && correction != W(1)) {
        for (int64_t j = 0; j < dim; ++j) sums.data[i * dim + j] *= correction;
      }
      total[i] = total[i] * correction + part;
      highest[i] = peak;
    }
    gemm<W>(rows, dim, cols, W(1), {scores.data, cols, 1}, from_row(v, col0), W(1), {sums.data, dim, 1});
  }
  for (int64_t i = 0; i < rows; ++i) {
    const bool nothing = highest[i] == -std::numeric_limits<W>::infinity();
    const W factor = nothing ? W(0) : W(1) / total[i];
    T* to = head(out, b, h) + (row0 + i) * out.row_stride;
    for (int64_t j = 0; j < dim; ++j) to[j * out.col_stride] = static_cast<T>(sums.data[i * dim + j] * factor);
    head(logsumexp, b, h)[(row0 + i) * logsumexp.row_stride] =
        static_cast<L>(nothing ? W(0) : highest[i] + std::log(total[i]));
  }
}

}  // namespace

template <class T, class M, class L>
void attention_forward(const AttentionShape& shape, Heads<const T> query, Heads<const T> key, Heads<const T> value,
                       Heads<const M> mask, Heads<T> out, Heads<L> logsumexp) {
  const int64_t blocks = (shape.q_len + q_block - 1) / q_block;
  const int64_t work = q_block * std::max<int64_t>(1, shape.k_len) * (shape.head_dim + shape.value_dim + 16);
  const int64_t grain = std::max<int64_t>(1, (int64_t{1} << 18) / work);
  parallel_for(0, shape.batch * shape.heads * blocks, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      // The blocks of one head follow each other and share its rows.
      const int64_t index = begin / blocks;
      const int64_t b = index / shape.heads;
      const int64_t h = index % shape.heads;
      const int64_t stop = std::min(end, (index + 1) * blocks);
      const HeadRows<T> q(head(query, b, h), query.row_stride, query.col_stride, shape.q_len, shape.head_dim);
      const HeadRows<T> k(head(key, b, h), key.row_stride, key.col_stride, shape.k_len, shape.head_dim);
      const HeadRows<T> v(head(value, b, h), value.row_stride, value.col_stride, shape.k_len, shape.value_dim);
      for (; begin < stop; ++begin) {
        const int64_t row0 = begin % blocks * q_block;
        forward_block<T, M, L>(shape, b, h, row0, std::min(q_block, shape.q_len - row0), q.matrix, k.matrix, v.matrix,
                               mask, out, logsumexp);
      }
    }
  });
}

namespace {

template <class T>
void store_head(const Wide<T>* from, int64_t rows, int64_t cols, const Heads<T>& to, int64_t b, int64_t h) {
  T* data = head(to, b, h);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      data[i * to.row_stride + j * to.col_stride] = static_cast<T>(from[i * cols + j]);
    }
  }
}

template <class T, class M, class L>
void backward_head(const AttentionShape& shape, int64_t b, int64_t h, const Heads<const T>& grad_out,
                   const Heads<const T>& query, const Heads<const T>& key, const Heads<const T>& value,
                   const Heads<const M>& mask, const Heads<const T>& out, const Heads<const L>& logsumexp,
                   const Heads<T>& grad_query, const Heads<T>& grad_key, const Heads<T>& grad_value) {
  using W = Wide<T>;
  const int64_t d = shape.head_dim;
  const int64_t e = shape.value_dim;
  const HeadRows<T> g(head(grad_out, b, h), grad_out.row_stride, grad_out.col_stride, shape.q_len, e);
  const HeadRows<T> q(head(query, b, h), query.row_stride, query.col_stride, shape.q_len, d);
  const HeadRows<T> k(head(key, b, h), key.row_stride, key.col_stride, shape.k_len, d);
  const HeadRows<T> v(head(value, b, h), value.row_stride, value.col_stride, shape.k_len, e);
  Scratch<W> dq(shape.q_len * d);
  Scratch<W> dk(shape.k_len * d);
  Scratch<W> dv(shape.k_len * e);
  Scratch<W> scores(q_block * k_block);
  Scratch<W> grads(q_block * k_block);
  std::fill_n(dq.data, shape.q_len * d, W(0));
  std::fill_n(dk.data, shape.k_len * d, W(0));
  std::fill_n(dv.data, shape.k_len * e, W(0));
  for (int64_t row0 = 0; row0 < shape.q_len; row0 += q_block) {
    const int64_t rows = std::min(q_block, shape.q_len - row0);
    const int64_t keys = visible_keys(shape, row0 + rows - 1);
    W delta[q_block];
    for (int64_t i = 0; i < rows; ++i) {
      const T* o = head(out, b, h) + (row0 + i) * out.row_stride;
      const ConstMatrix<W> line = from_row(g.matrix, row0 + i);
      W sum = 0;
      for (int64_t j = 0; j < e; ++j) sum += line.data[j * line.col_stride] * static_cast<W>(o[j * out.col_stride]);
      delta[i] = sum;
    }
    for (int64_t col0 = 0; col0 < keys; col0 += k_block) {
      const int64_t cols = std::min(k_block, keys - col0);
      W* p = scores.data;
      W* ds = grads.data;
      gemm<W>(rows, cols, d, static_cast<W>(shape.scale), from_row(q.matrix, row0),
              transposed(from_row(k.matrix, col0)), W(0), {p, cols, 1});
      mask_block<W, M>(shape, mask, b, h, row0, col0, rows, cols, p);
      for (int64_t i = 0; i < rows; ++i) {
        row_exp<W>(p + i * cols, cols, static_cast<W>(head(logsumexp, b, h)[(row0 + i) * logsumexp.row_stride]));
      }
      gemm<W>(cols, e, rows, W(1), {p, 1, cols}, from_row(g.matrix, row0), W(1), {dv.data + col0 * e, e, 1});
      gemm<W>(rows, cols, e, W(1), from_row(g.matrix, row0), transposed(from_row(v.matrix, col0)), W(0), {ds, cols, 1});
      for (int64_t i = 0; i < rows; ++i) {
        row_grad<W>(p + i * cols, ds + i * cols, cols, delta[i], static_cast<W>(shape.scale));
      }
      gemm<W>(rows, d, cols, W(1), {ds, cols, 1}, from_row(k.matrix, col0), W(1), {dq.data + row0 * d, d, 1});
      gemm<W>(cols, d, rows, W(1), {ds, 1, cols}, from_row(q.matrix, row0), W(1), {dk.data + col0 * d, d, 1});
    }
  }
  store_head<T>(dq.data, shape.q_len, d, grad_query, b, h);
  store_head<T>(dk.data, shape.k_len, d, grad_key, b, h);
  store_head<T>(dv.data, shape.k_len, e, grad_value, b, h);
}

}  // namespace

template <class T, class M, class L>
void attention_backward(const AttentionShape& shape, Heads<const T> grad_out, Heads<const T> query, Heads<const T> key,
                        Heads<const T> value, Heads<const M> mask, Heads<const T> out, Heads<const L> logsumexp,
                        Heads<T> grad_query, Heads<T> grad_key, Heads<T> grad_value) {
  parallel_for(0, shape.batch * shape.heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      backward_head<T, M, L>(shape, index / shape.heads, index % shape.heads, grad_out, query, key, value, mask, out,
                             logsumexp, grad_query, grad_key, grad_value);
    }
  });
}

#define MT_INSTANTIATE(T, M, L)                                                                                       \
  template void attention_forward<T, M, L>(const AttentionShape&, Heads<const T>, Heads<const T>, Heads<const T>,     \
                                           Heads<const M>, Heads<T>, Heads<L>);                                       \
  template void attention_backward<T, M, L>(const AttentionShape&, Heads<const T>, Heads<const T>, Heads<const T>,    \
                                            Heads<const T>, Heads<const M>, Heads<const T>, Heads<const L>, Heads<T>, \
                                            Heads<T>, Heads<T>);
MT_INSTANTIATE(float, float, float)
MT_INSTANTIATE(double, double, double)
MT_INSTANTIATE(Half, Half, float)
MT_INSTANTIATE(Half, float, float)
MT_INSTANTIATE(BFloat16, BFloat16, float)
MT_INSTANTIATE(BFloat16, float, float)

}  // namespace mt::cpu
