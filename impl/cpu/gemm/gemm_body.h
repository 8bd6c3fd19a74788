// The kernels of matrix products, compiled once per instruction set: gemm_<level>.cpp defines the macros MT_ISA_NAME (namespace and
// suffix), MT_ISA_TARGET, MT_ISA_BYTES, MT_ISA_ROWS, MT_ISA_VECTORS and includes this file. With MT_OTHER_TILES it defines a separate
// table of some of the kernels.

#include <cstring>

#include "cpu/gemm/gemm_kernels.h"
#include "cpu/math/vecmath.h"

namespace mt::cpu::detail {
namespace MT_ISA_NAME {

template <class P>
struct VectorOf {
  typedef P type __attribute__((vector_size(MT_ISA_BYTES)));
};
template <class P>
using Vector = typename VectorOf<P>::type;
template <class P>
constexpr int lanes_of = MT_ISA_BYTES / static_cast<int>(sizeof(P));

#define MT_KERNEL MT_ISA_TARGET static
#define MT_HELPER MT_ISA_TARGET static inline __attribute__((always_inline))

#if MT_ISA_BYTES == 64
MT_HELPER Vector<float> fused(Vector<float> a, Vector<float> b, Vector<float> c) {
  return (Vector<float>)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
MT_HELPER Vector<double> fused(Vector<double> a, Vector<double> b, Vector<double> c) {
  return (Vector<double>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
#elif MT_ISA_BYTES == 32
MT_HELPER Vector<float> fused(Vector<float> a, Vector<float> b, Vector<float> c) {
  return (Vector<float>)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
MT_HELPER Vector<double> fused(Vector<double> a, Vector<double> b, Vector<double> c) {
  return (Vector<double>)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
#else
MT_HELPER Vector<float> fused(Vector<float> a, Vector<float> b, Vector<float> c) { return a * b + c; }
MT_HELPER Vector<double> fused(Vector<double> a, Vector<double> b, Vector<double> c) { return a * b + c; }
#endif
MT_HELPER Vector<uint32_t> fused(Vector<uint32_t> a, Vector<uint32_t> b, Vector<uint32_t> c) { return a * b + c; }
MT_HELPER Vector<uint64_t> fused(Vector<uint64_t> a, Vector<uint64_t> b, Vector<uint64_t> c) { return a * b + c; }

template <class P>
MT_HELPER Vector<P> splat(P value) {
  return value - Vector<P>{};  // minus, so that -0 stays -0
}
template <class P>
MT_HELPER Vector<P> load(const P* from) {
  Vector<P> value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}
template <class P>
MT_HELPER void store(P* to, Vector<P> value) {
  std::memcpy(to, &value, sizeof(value));
}

template <class P, class T>
MT_HELPER P widen(T value) {
  if constexpr (std::is_integral_v<P>) {
    return static_cast<P>(static_cast<std::make_signed_t<P>>(value));
  } else {
    return static_cast<P>(value);
  }
}

// Loads a vector of elements of B and widens it.
template <class P, class T>
MT_HELPER Vector<P> load_wide(const T* from) {
  if constexpr (std::is_same_v<P, T>) {
    return load<P>(from);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
#if MT_ISA_BYTES == 32
    // gcc 12 emits five instructions for a vector conversion that the processor does in one.
    return (Vector<P>)_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))), 16);
#else
    typedef uint16_t Narrow __attribute__((vector_size(MT_ISA_BYTES / 2)));
    Narrow narrow;
    std::memcpy(&narrow, from, sizeof(narrow));
    return (Vector<P>)(__builtin_convertvector(narrow, Vector<uint32_t>) << 16);
#endif
#if MT_ISA_BYTES == 64
  } else if constexpr (std::is_same_v<T, Half>) {
    // The masked form, since gcc 12 warns about an uninitialised value inside the plain one.
    const __m256i narrow = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return (Vector<P>)_mm512_maskz_cvtph_ps(static_cast<__mmask16>(0xffff), narrow);
#elif MT_ISA_BYTES == 32
  } else if constexpr (std::is_same_v<T, Half>) {
    return (Vector<P>)_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
#endif
  } else {
    alignas(64) P values[lanes_of<P>];
    for (int i = 0; i < lanes_of<P>; ++i) values[i] = widen<P>(from[i]);
    return load<P>(values);
  }
}

template <class P, int Lanes>
struct LanesOf {
  typedef P type __attribute__((vector_size(Lanes * sizeof(P))));
};
// Adds the upper half of a vector to its lower half until `Left` lanes remain.
template <class P, int Left, int Lanes>
MT_HELPER auto add_halves_until(typename LanesOf<P, Lanes>::type value) {
  if constexpr (Lanes == Left) {
    return value;
  } else {
    typename LanesOf<P, Lanes / 2>::type halves[2];
    std::memcpy(halves, &value, sizeof(value));
    return add_halves_until<P, Left, Lanes / 2>(halves[0] + halves[1]);
  }
}

template <class P>
MT_HELPER P sum_lanes(Vector<P> value) {
  const auto pair = add_halves_until<P, 2, lanes_of<P>>(value);
  return pair[0] + pair[1];
}

// Sums the lanes of each of C vectors. Four float vectors are transposed and added together: the shuffles for one vector serve all.
template <class P, int C>
MT_HELPER void sum_each(const Vector<P>* values, P* sums) {
  if constexpr (std::is_same_v<P, float> && C == 4 && lanes_of<P> > 4) {
    typedef float Four __attribute__((vector_size(16)));
    typedef int32_t Index __attribute__((vector_size(16)));
    Four x[4];
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) x[c] = add_halves_until<P, 4, lanes_of<P>>(values[c]);
    const Four left = __builtin_shuffle(x[0], x[1], Index{0, 1, 4, 5}) + __builtin_shuffle(x[0], x[1], Index{2, 3, 6, 7});
    const Four right = __builtin_shuffle(x[2], x[3], Index{0, 1, 4, 5}) + __builtin_shuffle(x[2], x[3], Index{2, 3, 6, 7});
    const Four all = __builtin_shuffle(left, right, Index{0, 2, 4, 6}) + __builtin_shuffle(left, right, Index{1, 3, 5, 7});
    std::memcpy(sums, &all, sizeof(all));
  } else {
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) sums[c] = sum_lanes<P>(values[c]);
  }
}

#include "cpu/gemm/gemm_body_multiply.h"

// Packs four k-contiguous lanes, four steps at a time, by a 4 x 4 transpose in registers.
template <class P, class T, int W>
MT_HELPER void transpose_lanes(const T* source, int64_t lane_stride, int64_t k, P* out) {
  typedef P Four __attribute__((vector_size(4 * sizeof(P))));
  typedef std::conditional_t<sizeof(P) == 8, int64_t, int32_t> Index __attribute__((vector_size(4 * sizeof(P))));
  int64_t p = 0;
  for (; p + 4 <= k; p += 4) {
    Four rows[4];
    for (int lane = 0; lane < 4; ++lane) {
      if constexpr (std::is_same_v<P, T>) {
        std::memcpy(&rows[lane], source + lane * lane_stride + p, sizeof(Four));
#if MT_ISA_BYTES > 16
      } else if constexpr (std::is_same_v<T, Half>) {
        const auto* from = reinterpret_cast<const __m128i*>(source + lane * lane_stride + p);
        rows[lane] = (Four)_mm_cvtph_ps(_mm_loadl_epi64(from));
#endif
      } else {
        const T* from = source + lane * lane_stride + p;
        rows[lane] = Four{widen<P>(from[0]), widen<P>(from[1]), widen<P>(from[2]), widen<P>(from[3])};
      }
    }
    const Four low01 = __builtin_shuffle(rows[0], rows[1], Index{0, 4, 1, 5});
    const Four low23 = __builtin_shuffle(rows[2], rows[3], Index{0, 4, 1, 5});
    const Four high01 = __builtin_shuffle(rows[0], rows[1], Index{2, 6, 3, 7});
    const Four high23 = __builtin_shuffle(rows[2], rows[3], Index{2, 6, 3, 7});
    const Four first = __builtin_shuffle(low01, low23, Index{0, 1, 4, 5});
    const Four second = __builtin_shuffle(low01, low23, Index{2, 3, 6, 7});
    const Four third = __builtin_shuffle(high01, high23, Index{0, 1, 4, 5});
    const Four fourth = __builtin_shuffle(high01, high23, Index{2, 3, 6, 7});
    std::memcpy(out + (p + 0) * W, &first, sizeof(Four));
    std::memcpy(out + (p + 1) * W, &second, sizeof(Four));
    std::memcpy(out + (p + 2) * W, &third, sizeof(Four));
    std::memcpy(out + (p + 3) * W, &fourth, sizeof(Four));
  }
  for (; p < k; ++p) {
    for (int lane = 0; lane < 4; ++lane) out[p * W + lane] = widen<P>(source[lane * lane_stride + p]);
  }
}

// Packs contiguous lanes that do not fill the panel: vectors may read beyond the last lane, except for the last steps of k, where that
// memory may not exist.
template <class P, class T, int W>
MT_HELPER void pack_partial_panel(const T* source, int64_t k_stride, int lanes, int64_t k, P* out) {
  constexpr int step = lanes_of<P>;
  const int whole = lanes / step * step;
  typedef std::conditional_t<sizeof(P) == 8, int64_t, int32_t> Bits __attribute__((vector_size(MT_ISA_BYTES)));
  Bits mask;
  for (int lane = 0; lane < step; ++lane) mask[lane] = lane < lanes - whole ? -1 : 0;
  int64_t p = 0;
  for (; p < k && (k - 1 - p) * k_stride + lanes >= whole + step; ++p) {
    const T* from = source + p * k_stride;
    for (int lane = 0; lane < whole; lane += step) store<P>(out + p * W + lane, load_wide<P, T>(from + lane));
    store<P>(out + p * W + whole, (Vector<P>)((Bits)load_wide<P, T>(from + whole) & mask));
    for (int lane = whole + step; lane < W; lane += step) store<P>(out + p * W + lane, Vector<P>{});
  }
  for (; p < k; ++p) {
    for (int lane = 0; lane < W; ++lane) out[p * W + lane] = lane < lanes ? widen<P>(source[p * k_stride + lane]) : P(0);
  }
}

template <class P, class T, int W>
MT_KERNEL void pack(const T* source, int64_t lane_stride, int64_t k_stride, int lanes, int64_t k, P* out) {
  if (lane_stride == 1 && lanes == W) {
    for (int64_t p = 0; p < k; ++p) {
      const T* from = source + p * k_stride;
      if constexpr (W % lanes_of<P> == 0) {
        for (int lane = 0; lane < W; lane += lanes_of<P>) store<P>(out + p * W + lane, load_wide<P, T>(from + lane));
      } else {
        for (int lane = 0; lane < W; ++lane) out[p * W + lane] = widen<P>(from[lane]);
      }
    }
    return;
  }
  if constexpr (std::is_floating_point_v<P> && W % lanes_of<P> == 0) {
    if (lane_stride == 1 && k_stride != 1) return pack_partial_panel<P, T, W>(source, k_stride, lanes, k, out);
  }
#if MT_ISA_BYTES == 64
  if constexpr (std::is_same_v<T, float>)
    if (k_stride == 1) return transpose_words(source, 4 * lane_stride, lanes, 4 * k, W, out);
#endif
  // Packs a few steps at a time, so that what the lanes write stays in the L1 cache.
  constexpr int64_t steps = 32;
  for (int64_t first = 0; first < k; first += steps, source += steps * k_stride, out += steps * W) {
    const int64_t n = k - first < steps ? k - first : steps;
    int lane = 0;
    if (k_stride == 1) {
      for (; lane + 4 <= lanes; lane += 4) transpose_lanes<P, T, W>(source + lane * lane_stride, lane_stride, n, out + lane);
    }
    for (; lane < lanes; ++lane) {
      const T* from = source + lane * lane_stride;
      for (int64_t p = 0; p < n; ++p) out[p * W + lane] = widen<P>(from[p * k_stride]);
    }
    for (; lane < W; ++lane) {
      for (int64_t p = 0; p < n; ++p) out[p * W + lane] = P(0);
    }
  }
}

template <class P>
MT_HELPER void activate(P* values, int64_t count, Activation activation) {
  if constexpr (std::is_floating_point_v<P>) {
    constexpr P root_two_over_pi = P(0.79788456080286535588);
    switch (activation) {
      case Activation::none: break;
      case Activation::relu:
        for (int64_t j = 0; j < count; ++j) values[j] = values[j] < P(0) ? P(0) : values[j];  // NaN stays
        break;
      case Activation::gelu:
        for (int64_t j = 0; j < count; ++j) values[j] *= vec::normal_cdf(values[j]);
        break;
      case Activation::gelu_tanh:
        for (int64_t j = 0; j < count; ++j) {
          const P x = values[j];
          values[j] = P(0.5) * x * (P(1) + vec::tanh(root_two_over_pi * (x + P(0.044715) * x * x * x)));
        }
        break;
    }
  }
}

// Stores unscaled sums, or adds them to C, directly from vectors.
MT_HELPER void finish_sums(const float* tile, int64_t tile_stride, int64_t row, int64_t col, int64_t rows, int64_t cols,
                           const Output<float>& output, bool adds) {
  using P = float;
  constexpr int step = lanes_of<P>;
  const Epilogue<P>& epilogue = output.epilogue;
  const P* const line = epilogue.col_bias ? epilogue.col_bias + col : nullptr;
  for (int64_t i = 0; i < rows; ++i, tile += tile_stride) {
    P* const c = output.c.data + (row + i) * output.c.row_stride + col;
    const P* const one = epilogue.row_bias ? epilogue.row_bias + (row + i) * epilogue.row_bias_stride : nullptr;
    int64_t j = 0;
    for (; j < cols; j += step) {
      if (j + step > cols) {  // a last vector that overlaps, unless that would add twice
        if (adds || cols < step) break;
        j = cols - step;
      }
      Vector<P> sum = load<P>(tile + j);
      if (adds) sum += load<P>(c + j);
      if (one) sum += *one;
      if (line) sum += load<P>(line + j);
      store<P>(c + j, sum);
    }
    for (; j < cols; ++j) {
      P sum = tile[j];
      if (adds) sum += c[j];
      if (one) sum += *one;
      if (line) sum += line[j];
      c[j] = sum;
    }
  }
}

template <class T, class P>
MT_KERNEL void finish(const P* tile, int64_t tile_stride, int64_t row, int64_t col, int64_t rows, int64_t cols, const Output<T>& output) {
  const P alpha = widen<P>(output.alpha);
  const P beta = widen<P>(output.beta);
  const bool reads = output.beta != GemmScalar<T>(0);
  const Epilogue<T>& epilogue = output.epilogue;
  const int64_t col_stride = output.c.col_stride;
  if constexpr (std::is_same_v<T, float>) {
    const bool adds = output.beta == 1;
    if (alpha == 1 && (adds || !reads) && col_stride == 1 && epilogue.activation == Activation::none &&
        (epilogue.col_bias == nullptr || epilogue.col_bias_stride == 1))
      return finish_sums(tile, tile_stride, row, col, rows, cols, output, adds);
  }
  const bool plain = epilogue.empty() && !reads && col_stride == 1;
  constexpr int64_t at_once = 128;
  alignas(64) P values[at_once];
  for (int64_t i = 0; i < rows; ++i, tile += tile_stride) {
    T* c = output.c.data + (row + i) * output.c.row_stride + col * col_stride;
    if (plain) {
      for (int64_t j = 0; j < cols; ++j) c[j] = static_cast<T>(alpha * tile[j]);
      continue;
    }
    for (int64_t start = 0; start < cols; start += at_once) {
      const int64_t count = cols - start < at_once ? cols - start : at_once;
      T* part = c + start * col_stride;
      for (int64_t j = 0; j < count; ++j) values[j] = alpha * tile[start + j];
      if (reads && col_stride == 1) {
        for (int64_t j = 0; j < count; ++j) values[j] += beta * widen<P>(part[j]);
      } else if (reads) {
        for (int64_t j = 0; j < count; ++j) values[j] += beta * widen<P>(part[j * col_stride]);
      }
      if (epilogue.row_bias != nullptr) {
        const P bias = widen<P>(epilogue.row_bias[(row + i) * epilogue.row_bias_stride]);
        for (int64_t j = 0; j < count; ++j) values[j] += bias;
      }
      if (epilogue.col_bias != nullptr) {
        const int64_t step = epilogue.col_bias_stride;
        const T* bias = epilogue.col_bias + (col + start) * step;
        if (step == 1) {
          for (int64_t j = 0; j < count; ++j) values[j] += widen<P>(bias[j]);
        } else {
          for (int64_t j = 0; j < count; ++j) values[j] += widen<P>(bias[j * step]);
        }
      }
      activate(values, count, epilogue.activation);
      if (col_stride == 1) {
        for (int64_t j = 0; j < count; ++j) part[j] = static_cast<T>(values[j]);
      } else {
        for (int64_t j = 0; j < count; ++j) part[j * col_stride] = static_cast<T>(values[j]);
      }
    }
  }
}

#include "cpu/gemm/gemm_body_skinny.h"

template <class T>
GemmKernels<T> make_kernels() {
  using P = Compute<T>;
  constexpr int rows = MT_ISA_ROWS;
  constexpr int vectors = MT_ISA_VECTORS;
  constexpr int cols = vectors * lanes_of<P>;
  GemmKernels<T> table;
  table.tile_rows = rows;
  table.tile_cols = cols;
  table.lanes = lanes_of<P>;
  table.group = 1;
  table.pack_rows = pack<P, T, rows>;
  table.depth = rows > 4 ? 512 : 1024;
  table.depth_step = 8;
  table.cuts = rows > 4 ? 4 : 1;
  table.pack_cols = pack<P, T, cols>;
  table.block_bytes = 0;
  table.pack_panels = nullptr;
  table.begin = table.end = nullptr;
  table.multiply = multiply_part<P>;
  table.multiply_unpacked = nullptr;
  table.multiply_into = nullptr;
  table.multiply_with_pieces = nullptr;
  table.into_step = lanes_of<P>;
  table.multiply_rows = nullptr;
  table.multiply_steps = nullptr;
  table.multiply_positions = nullptr;
  if constexpr (std::is_same_v<T, P> && std::is_floating_point_v<P>) {
    table.multiply_unpacked = multiply_unpacked<P>;
    table.multiply_into = multiply_into<P>;
    table.multiply_rows = multiply_rows<P>;
    if constexpr (std::is_same_v<P, float>) {
      table.multiply_steps = multiply_steps<P>;
      if constexpr (rows > 4) table.multiply_positions = multiply_positions<P>;
    }
  }
  table.finish = finish<T, P>;
  table.skinny_by_dots = skinny_by_dots<P, T>;
  table.skinny_by_rows = skinny_by_rows<P, T>;
  table.few_least = table.few_most = 0;
  table.few_words = nullptr;
  table.pack_few = nullptr;
  table.few_by_dots = table.few_by_rows = nullptr;
  return table;
}

}  // namespace MT_ISA_NAME

#ifndef MT_OTHER_TILES
#define MT_JOIN_(a, b) a##b
#define MT_JOIN(a, b) MT_JOIN_(a, b)
#define MT_DEFINE_TABLE(T)                                              \
  template <>                                                           \
  const GemmKernels<T>& MT_JOIN(kernels_, MT_ISA_NAME)<T>() {           \
    static const GemmKernels<T> table = MT_ISA_NAME::make_kernels<T>(); \
    return table;                                                       \
  }
MT_DEFINE_TABLE(float)
MT_DEFINE_TABLE(double)
MT_DEFINE_TABLE(Half)
MT_DEFINE_TABLE(BFloat16)
MT_DEFINE_TABLE(int8_t)
MT_DEFINE_TABLE(int16_t)
MT_DEFINE_TABLE(int32_t)
MT_DEFINE_TABLE(int64_t)
#endif

}  // namespace mt::cpu::detail
