// Conversion of runs: one loop per pair of dtypes, vectorised where both runs are dense.
#include "cpu/convert.h"

#include <cstring>

#include "core/dispatch_dtype.h"
#include "cpu/capability.h"

namespace mt::cpu {
namespace {

template <class To, class From>
[[gnu::always_inline]] inline To converted(From value) {
  if constexpr (is_complex_type<To> && is_complex_type<From>) {
    return To(decltype(To::re)(value.re), decltype(To::re)(value.im));
  } else if constexpr (is_complex_type<To>) {
    return To(converted<decltype(To::re)>(value));
  } else if constexpr (is_complex_type<From>) {
    if constexpr (std::is_same_v<To, bool>)
      return float(value.re) != 0 || float(value.im) != 0;
    else
      return converted<To>(value.re);
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (std::is_arithmetic_v<From>)
      return value != From(0);
    else
      return float(value) != 0;
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // Narrow integers wrap, as the hardware's conversion through a wide integer does.
    if constexpr (std::is_same_v<To, uint64_t>)
      return value >= From(0x1p63) ? uint64_t(value) : uint64_t(int64_t(value));
    else if constexpr (sizeof(To) < 4)
      return To(int32_t(value));
    else
      return To(int64_t(value));
  } else if constexpr (std::is_arithmetic_v<To> && std::is_arithmetic_v<From>) {
    return To(value);
  } else if constexpr (std::is_arithmetic_v<From>) {  // to a narrow float
    return To(float(value));
  } else {  // from a narrow float
    return converted<To>(float(value));
  }
}

template <class To, class From>
[[gnu::always_inline]] inline void dense(To* __restrict dst, const From* __restrict src, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dst[i] = converted<To>(src[i]);
}
template <class To, class From>
void dense_baseline(To* dst, const From* src, int64_t n) {
  dense(dst, src, n);
}
template <class To, class From>
MT_TARGET_AVX2 void dense_avx2(To* dst, const From* src, int64_t n) {
  dense(dst, src, n);
}
// Pairs worth vector loops; the rest (float8, complex32, wide unsigned) takes the strided one, to keep the library small.
template <class T>
inline constexpr bool is_common = std::is_same_v<T, bool> || (std::is_integral_v<T> && (std::is_signed_v<T> || sizeof(T) == 1)) ||
                                  std::is_floating_point_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16> ||
                                  std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>;
template <class To, class From>
void strided(char* dst, int64_t dst_stride, const char* src, int64_t src_stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    From value;
    std::memcpy(static_cast<void*>(&value), src + i * src_stride, sizeof(From));
    const To result = converted<To>(value);
    std::memcpy(dst + i * dst_stride, static_cast<const void*>(&result), sizeof(To));
  }
}

template <class T>
void same_type(char* dst, int64_t dst_stride, const char* src, int64_t src_stride, int64_t n) {
  auto* d = reinterpret_cast<T*>(dst);
  auto* s = reinterpret_cast<const T*>(src);
  const int64_t ds = dst_stride / int64_t(sizeof(T)), ss = src_stride / int64_t(sizeof(T));
  if (ss == 0) {
    const T value = *s;
    for (int64_t i = 0; i < n; ++i) d[i * ds] = value;
  } else if (ds == -1 && ss == 1) {  // flip
    for (int64_t i = 0; i < n; ++i) d[-i] = s[i];
  } else {
    for (int64_t i = 0; i < n; ++i) d[i * ds] = s[i * ss];
  }
}

}  // namespace

void convert_run(void* dst, int64_t dst_stride, Dtype dst_dtype, const void* src, int64_t src_stride, Dtype src_dtype, int64_t n) {
  auto* d = static_cast<char*>(dst);
  auto* s = static_cast<const char*>(src);
  const int64_t dst_size = element_size(dst_dtype), src_size = element_size(src_dtype);
  if (dst_dtype == src_dtype) {
    if (dst_stride == dst_size && src_stride == src_size) {
      std::memcpy(d, s, size_t(n * dst_size));
    } else {
      dispatch_by_size(dst_size, [&]<class T>(Type<T>) { same_type<T>(d, dst_stride, s, src_stride, n); });
    }
    return;
  }
  static const bool has_avx2 = cpu_capability() >= Capability::avx2;
  const bool is_dense = dst_stride == dst_size && src_stride == src_size && n > 3;
  visit_all(dst_dtype, [&]<class To>(Type<To>) {
    visit_all(src_dtype, [&]<class From>(Type<From>) {
      if constexpr (is_common<To> && is_common<From>) {
        if (is_dense) {
          (has_avx2 ? dense_avx2<To, From> : dense_baseline<To, From>)(reinterpret_cast<To*>(d), reinterpret_cast<const From*>(s), n);
          return;
        }
      }
      strided<To, From>(d, dst_stride, s, src_stride, n);
    });
  });
}

}  // namespace mt::cpu
