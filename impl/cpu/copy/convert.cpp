// Converts runs of elements: a loop for each pair of common dtypes; other dtypes are converted through one of those.
#include "cpu/copy/convert.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/capability.h"
#include "core/dispatch_dtype.h"
#include "cpu/gemm/half_lanes.h"

namespace mt::cpu {
namespace {

template <class To, class From>
[[gnu::always_inline]] inline To convert_one(From value) {
  if constexpr (is_complex_type<To> && is_complex_type<From>) {
    return To(decltype(To::re)(value.re), decltype(To::re)(value.im));
  } else if constexpr (is_complex_type<To>) {
    return To(convert_one<decltype(To::re)>(value));
  } else if constexpr (is_complex_type<From>) {
    if constexpr (std::is_same_v<To, bool>)
      return float(value.re) != 0 || float(value.im) != 0;
    else
      return convert_one<To>(value.re);
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (std::is_arithmetic_v<From>)
      return value != From(0);
    else
      return float(value) != 0;
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // Converts as the hardware does, out of range too: through int32_t to types no wider than that, through int64_t to the others.
    if constexpr (std::is_same_v<To, uint64_t>)
      return value >= From(0x1p63) ? uint64_t(value) : uint64_t(int64_t(value));
    else if constexpr (sizeof(To) < 4 || std::is_same_v<To, int32_t>)
      return To(int32_t(value));
    else
      return To(int64_t(value));
  } else if constexpr (std::is_arithmetic_v<To> && std::is_arithmetic_v<From>) {
    return To(value);
  } else if constexpr (std::is_arithmetic_v<From>) {  // to float8 and similar types
    return To(float(value));
  } else {  // from float8 and similar types
    return convert_one<To>(float(value));
  }
}

template <class To, class From>
[[gnu::always_inline]] inline void convert_contiguous(To* __restrict dst, const From* __restrict src, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dst[i] = convert_one<To>(src[i]);
}
// A dtype without loops of its own is read as the first type, which represents all its values, and written from the second, which rounds
// or wraps as the dtype itself does. That needs one pair of loops per dtype instead of one per pair of dtypes.
template <class T>
struct ConvertVia {
  using Read = T;
  using Write = T;
};
template <class Middle>
struct ConvertViaMiddle {
  using Read = Middle;
  using Write = Middle;
};
template <> struct ConvertVia<Half> : ConvertViaMiddle<float> {};
template <> struct ConvertVia<BFloat16> : ConvertViaMiddle<float> {};
template <> struct ConvertVia<Float8_e4m3fn> : ConvertViaMiddle<float> {};
template <> struct ConvertVia<Float8_e4m3fnuz> : ConvertViaMiddle<float> {};
template <> struct ConvertVia<Float8_e5m2> : ConvertViaMiddle<float> {};
template <> struct ConvertVia<Float8_e5m2fnuz> : ConvertViaMiddle<float> {};
template <> struct ConvertVia<Float8_e8m0fnu> : ConvertViaMiddle<float> {};
template <> struct ConvertVia<Complex<Half>> : ConvertViaMiddle<Complex<float>> {};
template <> struct ConvertVia<uint32_t> : ConvertViaMiddle<int64_t> {};
template <>
struct ConvertVia<uint16_t> {
  using Read = int32_t;
  using Write = int16_t;
};
template <class T>
inline constexpr bool has_loops = std::is_same_v<typename ConvertVia<T>::Read, T>;
template <class To, class From>
inline constexpr bool is_step = has_loops<To> ? has_loops<From> || std::is_same_v<To, typename ConvertVia<From>::Read>
                                              : std::is_same_v<From, typename ConvertVia<To>::Write>;

using Loop = void (*)(void* dst, const void* src, int64_t n);
// The compiler does not vectorise bool: read bytes instead.
template <class From>
using ReadAs = std::conditional_t<std::is_same_v<From, bool>, uint8_t, From>;
template <class To, class From>
MT_TARGET_BASELINE void convert_baseline(void* dst, const void* src, int64_t n) {
  convert_contiguous(static_cast<To*>(dst), static_cast<const ReadAs<From>*>(src), n);
}
template <class To, class From>
MT_TARGET_AVX2 void convert_avx2(void* dst, const void* src, int64_t n) {
  convert_contiguous(static_cast<To*>(dst), static_cast<const ReadAs<From>*>(src), n);
}
#if MT_HAS_X86_TARGETS
// The half types in whole vectors: operators on them spend most of their time converting. The remainder is scalar, since masked stores are
// slow.
template <class To, class From>
MT_TARGET_AVX2 void convert_halves_avx2(void* dst, const void* src, int64_t n) {
  auto* to = static_cast<To*>(dst);
  auto* from = static_cast<const From*>(src);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    if constexpr (std::is_same_v<To, float>)
      widen8(to + i, from + i);
    else
      narrow8(to + i, from + i);
  }
  for (; i < n; ++i) to[i] = To(float(from[i]));
}
template <class To, class From>
MT_TARGET_AVX512 void convert_halves_avx512(void* dst, const void* src, int64_t n) {
  auto* to = static_cast<To*>(dst);
  auto* from = static_cast<const From*>(src);
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    if constexpr (std::is_same_v<To, float>)
      widen16(to + i, from + i);
    else
      narrow16(to + i, from + i);
  }
  for (; i < n; ++i) to[i] = To(float(from[i]));
}
// AVX2 has no conversion to int64: go through int32 if all of a block fits.
MT_TARGET_AVX2 void floats_to_int64(void* dst, const void* src, int64_t n) {
  auto* to = static_cast<int64_t*>(dst);
  auto* from = static_cast<const float*>(src);
  int64_t i = 0;
  while (i < n) {
    int64_t block = std::min<int64_t>(n - i, 8);
    if (block == 8) {
      const __m256i narrow = _mm256_cvttps_epi32(_mm256_loadu_ps(from + i));
      const __m256i is_beyond = _mm256_cmpeq_epi32(narrow, _mm256_set1_epi32(std::numeric_limits<int32_t>::min()));
      if (_mm256_testz_si256(is_beyond, is_beyond)) {
        auto* wide = reinterpret_cast<__m256i*>(to + i);
        _mm256_storeu_si256(wide, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(narrow)));
        _mm256_storeu_si256(wide + 1, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(narrow, 1)));
        i += 8;
        continue;
      }
    }
    for (; block > 0; --block, ++i) to[i] = int64_t(from[i]);
  }
}
// AVX2 has no conversion from int64 either: go through int32 if all of a block fits.
MT_TARGET_AVX2 void int64_to_floats(void* dst, const void* src, int64_t n) {
  auto* to = static_cast<float*>(dst);
  auto* from = static_cast<const int64_t*>(src);
  int64_t i = 0;
  while (i < n) {
    int64_t block = std::min<int64_t>(n - i, 8);
    if (block == 8) {
      auto* words = reinterpret_cast<const float*>(from + i);
      const __m256 a = _mm256_loadu_ps(words), b = _mm256_loadu_ps(words + 8);
      const __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)), high = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
      const __m256i beyond = _mm256_xor_si256(_mm256_srai_epi32(low, 31), high);
      if (_mm256_testz_si256(beyond, beyond)) {
        _mm256_storeu_ps(to + i, _mm256_cvtepi32_ps(_mm256_permute4x64_epi64(low, 0xd8)));
        i += 8;
        continue;
      }
    }
    for (; block > 0; --block, ++i) to[i] = float(from[i]);
  }
}
Loop intrinsics_conversion_loop_of(Capability level, Dtype to, Dtype from) {
  if (level < Capability::avx2) return nullptr;
  if (to == Dtype::int64 && from == Dtype::float32) return floats_to_int64;
  if (to == Dtype::float32 && from == Dtype::int64) return int64_to_floats;
  const bool widest = level >= Capability::avx512;
  if (to == Dtype::float32) {
    if (from == Dtype::float16) return widest ? convert_halves_avx512<float, Half> : convert_halves_avx2<float, Half>;
    if (from == Dtype::bfloat16) return widest ? convert_halves_avx512<float, BFloat16> : convert_halves_avx2<float, BFloat16>;
  }
  if (from == Dtype::float32) {
    if (to == Dtype::float16) return widest ? convert_halves_avx512<Half, float> : convert_halves_avx2<Half, float>;
    if (to == Dtype::bfloat16) return widest ? convert_halves_avx512<BFloat16, float> : convert_halves_avx2<BFloat16, float>;
  }
  return nullptr;
}
#else
Loop intrinsics_conversion_loop_of(Capability, Dtype, Dtype) { return nullptr; }
#endif
Loop conversion_loop_of(Dtype to, Dtype from) {
  static const Capability level = cpu_capability();
  if (const Loop loop = intrinsics_conversion_loop_of(level, to, from)) return loop;
  Loop loop = nullptr;
  visit_all(to, [&]<class To>(Type<To>) {
    visit_all(from, [&]<class From>(Type<From>) {
      if constexpr (is_step<To, From> && !std::is_same_v<To, From>)
        loop = level >= Capability::avx2 ? convert_avx2<To, From> : convert_baseline<To, From>;
    });
  });
  return loop;
}

template <class T>
void move_elements(char* dst, int64_t dst_stride, const char* src, int64_t src_stride, int64_t n) {
  auto* d = reinterpret_cast<T*>(dst);
  auto* s = reinterpret_cast<const T*>(src);
  const int64_t ds = dst_stride / int64_t(sizeof(T)), ss = src_stride / int64_t(sizeof(T));
  if (ss == 0) {
    if (ds == 1) return repeat_element(d, s, sizeof(T), n);
    const T value = *s;
    for (int64_t i = 0; i < n; ++i) d[i * ds] = value;
  } else if (ds == 1 && ss == 2) {  // every other element
    for (int64_t i = 0; i < n; ++i) d[i] = s[2 * i];
  } else if (ds == -1 && ss == 1) {  // flip
    for (int64_t i = 0; i < n; ++i) d[-i] = s[i];
  } else {
    for (int64_t i = 0; i < n; ++i) d[i * ds] = s[i * ss];
  }
}

template <class T>
[[gnu::always_inline]] inline void fill_elements(T* dst, const T* src, int64_t n) {
  const T value = *src;
  for (int64_t i = 0; i < n; ++i) dst[i] = value;
}
template <class T>
MT_TARGET_BASELINE void fill_baseline(T* dst, const T* src, int64_t n) {
  fill_elements(dst, src, n);
}
template <class T>
MT_TARGET_AVX2 void fill_avx2(T* dst, const T* src, int64_t n) {
  fill_elements(dst, src, n);
}

}  // namespace

void repeat_element(void* dst, const void* src, int64_t size, int64_t n) {
  static const Capability level = cpu_capability();
  dispatch_by_size(size, [&]<class T>(Type<T>) {
    (level >= Capability::avx2 ? fill_avx2<T> : fill_baseline<T>)(static_cast<T*>(dst), static_cast<const T*>(src), n);
  });
}

Conversion::Conversion(Dtype to, Dtype from) : dst_size_(element_size(to)), src_size_(element_size(from)), steps_(0) {
  dispatch_by_size(src_size_, [&]<class T>(Type<T>) { gather_ = move_elements<T>; });
  dispatch_by_size(dst_size_, [&]<class T>(Type<T>) { scatter_ = move_elements<T>; });
  if (to == from) return;
  Dtype middle = from, last = to;
  visit_all(from, [&]<class From>(Type<From>) { middle = dtype_of<typename ConvertVia<From>::Read>; });
  visit_all(to, [&]<class To>(Type<To>) { last = dtype_of<typename ConvertVia<To>::Write>; });
  if (middle != from) step(middle, from);
  if (middle != last) step(last, middle);
  if (last != to) step(to, last);
}

void Conversion::step(Dtype to, Dtype from) { loops_[steps_++] = conversion_loop_of(to, from); }

void Conversion::operator()(void* dst, int64_t dst_stride, const void* src, int64_t src_stride, int64_t n) const {
  auto* d = static_cast<char*>(dst);
  auto* s = static_cast<const char*>(src);
  const bool dense_in = src_stride == src_size_ || n == 1, dense_out = dst_stride == dst_size_ || n == 1;
  if (steps_ == 0) {
    if (dense_in && dense_out) {
      std::memcpy(d, s, size_t(n * dst_size_));
    } else {
      gather_(d, dst_stride, s, src_stride, n);
    }
    return;
  }
  if (steps_ == 1 && dense_in && dense_out) return loops_[0](d, s, n);
  // Converts in pieces, through two buffers that stay in the L1 cache.
  constexpr int64_t piece = 256;
  alignas(64) char buffers[2][piece * 16];
  for (int64_t i = 0; i < n; i += piece) {
    const int64_t m = std::min(piece, n - i);
    const char* from = s + i * src_stride;
    int next = 0;
    if (!dense_in) {
      gather_(buffers[0], src_size_, from, src_stride, m);
      from = buffers[0];
      next = 1;
    }
    for (int k = 0; k < steps_; ++k, next ^= 1) {
      char* to = dense_out && k == steps_ - 1 ? d + i * dst_size_ : buffers[next];
      loops_[k](to, from, m);
      from = to;
    }
    if (!dense_out) scatter_(d + i * dst_stride, dst_stride, from, dst_size_, m);
  }
}

}  // namespace mt::cpu
