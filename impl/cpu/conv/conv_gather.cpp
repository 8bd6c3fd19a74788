// Gathering for convolutions: with AVX-512, masked loads return the zeros outside the image at no cost.
#include "cpu/conv/conv_gather.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/capability.h"
#include "core/complex.h"
#include "core/half.h"
#include "cpu/copy/copy.h"
#include "cpu/copy/words_avx512.h"
#include "cpu/threads/parallel.h"

#if MT_HAS_X86_TARGETS
#include <immintrin.h>
#endif

namespace mt::cpu::detail {
namespace {

template <class T>
void gather_plain(const T* source, int64_t channel_stride, int64_t channels, const Piece* pieces, int count, int64_t width, T* out) {
  for (int64_t c = 0; c < channels; ++c, source += channel_stride, out += width) {
    for (int i = 0; i < count; ++i) {
      const Piece& p = pieces[i];
      T* to = out + p.lane;
      const T* from = source + p.offset;
      for (int j = 0; j < p.first; ++j) to[j] = T(0);
      for (int j = p.first; j < p.last; ++j) to[j] = from[j];
      for (int j = p.last; j < p.length; ++j) to[j] = T(0);
    }
  }
}

#if MT_HAS_X86_TARGETS
// Stores whole vectors; the next piece, or the next row, overwrites what exceeds a shorter piece.
template <int Size>
MT_TARGET_AVX512 inline __attribute__((always_inline)) void move_vector(const char* from, uint64_t mask, char* to) {
  if constexpr (Size == 1) {
    _mm512_storeu_si512(to, _mm512_maskz_loadu_epi8(mask, from));
  } else if constexpr (Size == 2) {
    _mm512_storeu_si512(to, _mm512_maskz_loadu_epi16(__mmask32(mask), from));
  } else if constexpr (Size == 4) {
    _mm512_storeu_si512(to, _mm512_maskz_loadu_epi32(__mmask16(mask), from));
  } else {
    _mm512_storeu_si512(to, _mm512_maskz_loadu_epi64(__mmask8(mask), from));
  }
}
template <int Size>
MT_TARGET_AVX512 void gather_pixels_masked(const char* source, int64_t step, int64_t count, int length, int64_t width, char* out) {
  const uint64_t kept = (uint64_t{1} << length) - 1;
  for (int64_t i = 0; i < count; ++i, source += step * Size, out += width * Size) {
    if constexpr (Size == 4)
      _mm512_mask_storeu_epi32(out, __mmask16(kept), _mm512_maskz_loadu_epi32(__mmask16(kept), source));
    else
      _mm512_mask_storeu_epi64(out, __mmask8(kept), _mm512_maskz_loadu_epi64(__mmask8(kept), source));
  }
}
struct Masked {
  int64_t offset, lane;
  uint64_t mask;
};
template <int Size>
MT_TARGET_AVX512 void gather_masked(const char* source, int64_t channel_stride, int64_t channels, const Piece* pieces, int count,
                                    int64_t width, char* out) {
  Masked plan[64];
  for (int i = 0; i < count; ++i) {
    const Piece& p = pieces[i];
    const uint64_t upto = p.last >= 64 ? ~uint64_t{0} : (uint64_t{1} << p.last) - 1;
    plan[i] = {p.offset * Size, int64_t(p.lane) * Size, p.first >= p.last ? 0 : upto & ~((uint64_t{1} << p.first) - 1)};
  }
  const int64_t source_step = channel_stride * Size, row = width * Size;
  if (count == 2) {
    const Masked a = plan[0], b = plan[1];
    for (int64_t c = 0; c < channels; ++c, source += source_step, out += row) {
      move_vector<Size>(source + a.offset, a.mask, out + a.lane);
      move_vector<Size>(source + b.offset, b.mask, out + b.lane);
    }
    return;
  }
  for (int64_t c = 0; c < channels; ++c, source += source_step, out += row)
    for (int i = 0; i < count; ++i) move_vector<Size>(source + plan[i].offset, plan[i].mask, out + plan[i].lane);
}
#endif

#if MT_HAS_X86_TARGETS
// Masked loads and stores with AVX2, which has masks for 4-byte and 8-byte elements.
struct MaskedPair {
  int64_t offset, lane;
  __m256i first, second;
};
template <int Size>
MT_TARGET_AVX2 inline __attribute__((always_inline)) void move_half_vector(const char* from, __m256i mask, char* to) {
  __m256i value;
  if constexpr (Size == 4)
    value = _mm256_maskload_epi32(reinterpret_cast<const int*>(from), mask);
  else
    value = _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), mask);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
}
// A mask of the elements [first, last) of a vector.
template <int Size>
MT_TARGET_AVX2 inline __attribute__((always_inline)) __m256i element_range_mask(int first, int last) {
  if constexpr (Size == 4) {
    const __m256i words = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(first), words), _mm256_cmpgt_epi32(_mm256_set1_epi32(last), words));
  } else {
    const __m256i words = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_andnot_si256(_mm256_cmpgt_epi64(_mm256_set1_epi64x(first), words), _mm256_cmpgt_epi64(_mm256_set1_epi64x(last), words));
  }
}
template <int Size>
MT_TARGET_AVX2 void gather_avx2(const char* source, int64_t channel_stride, int64_t channels, const Piece* pieces, int count, int64_t width,
                                char* out) {
  MaskedPair plan[64];
  for (int i = 0; i < count; ++i) {
    const Piece& p = pieces[i];
    plan[i].offset = p.offset * Size;
    plan[i].lane = int64_t(p.lane) * Size;
    plan[i].first = element_range_mask<Size>(p.first, p.last);
    plan[i].second = element_range_mask<Size>(p.first - 32 / Size, p.last - 32 / Size);
  }
  for (int64_t c = 0; c < channels; ++c, source += channel_stride * Size, out += width * Size)
    for (int i = 0; i < count; ++i) {
      move_half_vector<Size>(source + plan[i].offset, plan[i].first, out + plan[i].lane);
      move_half_vector<Size>(source + plan[i].offset + 32, plan[i].second, out + plan[i].lane + 32);
    }
}
#endif

// Transposes four channels of four pixels in registers.
inline void transpose_4x4(const float* from, int64_t from_stride, float* to, int64_t to_stride) {
  typedef float Four __attribute__((vector_size(16)));
  typedef int32_t Index __attribute__((vector_size(16)));
  Four rows[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&rows[i], from + i * from_stride, sizeof(Four));
  const Four low01 = __builtin_shuffle(rows[0], rows[1], Index{0, 4, 1, 5}), low23 = __builtin_shuffle(rows[2], rows[3], Index{0, 4, 1, 5});
  const Four high01 = __builtin_shuffle(rows[0], rows[1], Index{2, 6, 3, 7}),
             high23 = __builtin_shuffle(rows[2], rows[3], Index{2, 6, 3, 7});
  const Four transposed[4] = {__builtin_shuffle(low01, low23, Index{0, 1, 4, 5}), __builtin_shuffle(low01, low23, Index{2, 3, 6, 7}),
                              __builtin_shuffle(high01, high23, Index{0, 1, 4, 5}), __builtin_shuffle(high01, high23, Index{2, 3, 6, 7})};
  for (int i = 0; i < 4; ++i) std::memcpy(to + i * to_stride, &transposed[i], sizeof(Four));
}

// to[j * channels + c] = from[c * stride + j] for `count` values of j.
template <class T, class P>
void interleave_planes(const T* from, int64_t stride, int64_t channels, int64_t count, P* to) {
  int64_t c = 0;
#if MT_HAS_X86_TARGETS
  if constexpr (std::is_same_v<T, BFloat16> && std::is_same_v<P, BFloat16>) {
    if (cpu_capability() == Capability::avx512 && channels % 2 == 0)
      return transpose_pairs(from, from + stride, 2 * stride, channels / 2, count, channels / 2, reinterpret_cast<float*>(to));
  }
#endif
  if constexpr (std::is_same_v<T, float> && std::is_same_v<P, float>) {
#if MT_HAS_X86_TARGETS
    if (cpu_capability() == Capability::avx512) return transpose_words(from, 4 * stride, channels, 4 * count, channels, to);
#endif
    for (; c + 4 <= channels; c += 4) {
      int64_t j = 0;
      for (; j + 4 <= count; j += 4) transpose_4x4(from + c * stride + j, stride, to + j * channels + c, channels);
      for (; j < count; ++j)
        for (int i = 0; i < 4; ++i) to[j * channels + c + i] = from[(c + i) * stride + j];
    }
  }
  if constexpr (std::is_same_v<T, P> && sizeof(T) <= 2) {
    constexpr int64_t size = sizeof(T);
    const char* const source = reinterpret_cast<const char*>(from);
    return transpose_tile(reinterpret_cast<char*>(to), channels * size, source, stride * size, count, channels, size);
  }
  for (; c < channels; ++c)
    for (int64_t j = 0; j < count; ++j) to[j * channels + c] = static_cast<P>(from[c * stride + j]);
}

template <class T>
struct SplitRow {
  [[gnu::always_inline]] static void run(const T* from, int64_t count, int64_t step, T* to) {
    if (step == 2) {
      for (int64_t q = 0; q < count; ++q) to[q] = from[2 * q];
    } else {
      for (int64_t q = 0; q < count; ++q) to[q] = from[step * q];
    }
  }
};
template <class T>
MT_TARGET_AVX512 void split_avx512(const T* from, int64_t count, int64_t step, T* to) {
  SplitRow<T>::run(from, count, step, to);
}
template <class T>
MT_TARGET_BASELINE void split_baseline(const T* from, int64_t count, int64_t step, T* to) {
  SplitRow<T>::run(from, count, step, to);
}

}  // namespace

template <class T>
void gather_rows(const T* source, int64_t channel_stride, int64_t channels, const Piece* pieces, int count, int64_t width, T* out) {
#if MT_HAS_X86_TARGETS
  if (cpu_capability() == Capability::avx512)
    return gather_masked<sizeof(T)>(reinterpret_cast<const char*>(source), channel_stride, channels, pieces, count, width,
                                    reinterpret_cast<char*>(out));
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    if (cpu_capability() == Capability::avx2)
      return gather_avx2<sizeof(T)>(reinterpret_cast<const char*>(source), channel_stride, channels, pieces, count, width,
                                    reinterpret_cast<char*>(out));
  }
#endif
  gather_plain(source, channel_stride, channels, pieces, count, width, out);
}

template <class T>
void split_rows(const T* source, int64_t rows, int64_t length, int64_t step, const int64_t* first, int lines, int64_t line_stride, T* out) {
  const auto split = cpu_capability() == Capability::avx512 ? split_avx512<T> : split_baseline<T>;
  parallel_for(0, rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, length)), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      for (int i = 0; i < lines; ++i) {
        const int64_t count = first[i] < length ? (length - first[i] - 1) / step + 1 : 0;
        split(source + r * length + first[i], count, step, out + (r * lines + i) * line_stride);
      }
  });
}

template <class P>
void gather_pixels(const P* source, int64_t step, int64_t count, int length, int64_t width, P* out) {
#if MT_HAS_X86_TARGETS
  if (cpu_capability() == Capability::avx512)
    return gather_pixels_masked<sizeof(P)>(reinterpret_cast<const char*>(source), step, count, length, width, reinterpret_cast<char*>(out));
#endif
  for (int64_t i = 0; i < count; ++i, source += step, out += width)
    for (int j = 0; j < length; ++j) out[j] = source[j];
}

template <class T, class P>
void interleave_channels(const T* source, int64_t images, int64_t channels, int64_t pixels, P* out) {
  constexpr int64_t block = 64;  // pixels: runs are long enough to read, and their channels stay in the cache while they are written
  const int64_t blocks = (pixels + block - 1) / block;
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, channels * block));
  parallel_for(0, images * blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % blocks * block, count = std::min(block, pixels - first);
      interleave_planes(source + i / blocks * channels * pixels + first, pixels, channels, count,
                        out + (i / blocks * pixels + first) * channels);
    }
  });
}

template <class T, class P>
void interleave_padded(const T* source, int64_t images, int64_t channels, const int64_t (&size)[3], const int64_t (&before)[3],
                       const int64_t (&extent)[3], P* out) {
  const int64_t lines = extent[0] * extent[1], pixels = size[0] * size[1] * size[2];
  const int64_t first = std::min(before[2], extent[2]), count = std::min(size[2], extent[2] - first);
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, channels * extent[2]));
  parallel_for(0, images * lines, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      P* to = out + i * extent[2] * channels;
      const int64_t plane = i % lines / extent[1] - before[0], line = i % extent[1] - before[1];
      if (plane < 0 || plane >= size[0] || line < 0 || line >= size[1]) {
        std::fill_n(to, extent[2] * channels, P(0));
        continue;
      }
      const T* from = source + i / lines * channels * pixels + (plane * size[1] + line) * size[2];
      std::fill_n(to, first * channels, P(0));
      for (int64_t at = 0; at < count; at += 64)
        interleave_planes(from + at, pixels, channels, std::min<int64_t>(64, count - at), to + (first + at) * channels);
      std::fill_n(to + (first + count) * channels, (extent[2] - first - count) * channels, P(0));
    }
  });
}

template void gather_pixels<float>(const float*, int64_t, int64_t, int, int64_t, float*);
template void gather_pixels<double>(const double*, int64_t, int64_t, int, int64_t, double*);
template void interleave_channels<uint8_t, uint8_t>(const uint8_t*, int64_t, int64_t, int64_t, uint8_t*);
template void interleave_channels<uint16_t, uint16_t>(const uint16_t*, int64_t, int64_t, int64_t, uint16_t*);
template void interleave_channels<uint64_t, uint64_t>(const uint64_t*, int64_t, int64_t, int64_t, uint64_t*);
template void interleave_channels<Complex<double>, Complex<double>>(const Complex<double>*, int64_t, int64_t, int64_t, Complex<double>*);
template void interleave_channels<float, float>(const float*, int64_t, int64_t, int64_t, float*);
template void interleave_padded<float, float>(const float*, int64_t, int64_t, const int64_t (&)[3], const int64_t (&)[3],
                                              const int64_t (&)[3], float*);
template void interleave_padded<BFloat16, BFloat16>(const BFloat16*, int64_t, int64_t, const int64_t (&)[3], const int64_t (&)[3],
                                                    const int64_t (&)[3], BFloat16*);
template void interleave_channels<double, double>(const double*, int64_t, int64_t, int64_t, double*);
template void interleave_padded<double, double>(const double*, int64_t, int64_t, const int64_t (&)[3], const int64_t (&)[3],
                                                const int64_t (&)[3], double*);

#define MT_INSTANTIATE(T)                                                                   \
  template void gather_rows<T>(const T*, int64_t, int64_t, const Piece*, int, int64_t, T*); \
  template void split_rows<T>(const T*, int64_t, int64_t, int64_t, const int64_t*, int, int64_t, T*);
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
