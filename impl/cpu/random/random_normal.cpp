// Fills tensors with normal, exponential, Cauchy, log-normal and geometric numbers from torch's stream.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/capability.h"
#include "cpu/buffer.h"
#include "cpu/math/vecmath.h"
#include "cpu/random/random.h"
#include "cpu/random/random_runs.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

#define MT_INLINE __attribute__((always_inline)) inline

constexpr int half_block = 8;  // torch pairs elements j and j + 8 of each 16
constexpr int block = 16;

MT_INLINE float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

// The single-precision logarithm, sine and cosine of the Cephes library with fused multiply-adds: they reproduce the bits of torch's AVX2
// kernel, so they are part of the contract and do not belong in vecmath.h.
MT_INLINE float cephes_log(float x) {
  const uint32_t word = std::bit_cast<uint32_t>(x);
  float exponent = static_cast<float>(static_cast<int32_t>(word >> 23) - 126);
  float mantissa = std::bit_cast<float>((word & 0x7fffffu) | 0x3f000000u);
  const bool small = mantissa < 0.707106781186547524f;
  exponent -= small ? 1.0f : 0.0f;
  mantissa = (mantissa - 1.0f) + (small ? mantissa : 0.0f);
  const float square = mantissa * mantissa;
  float sum = 7.0376836292e-2f;
  sum = fused(sum, mantissa, -1.1514610310e-1f);
  sum = fused(sum, mantissa, 1.1676998740e-1f);
  sum = fused(sum, mantissa, -1.2420140846e-1f);
  sum = fused(sum, mantissa, 1.4249322787e-1f);
  sum = fused(sum, mantissa, -1.6668057665e-1f);
  sum = fused(sum, mantissa, 2.0000714765e-1f);
  sum = fused(sum, mantissa, -2.4999993993e-1f);
  sum = fused(sum, mantissa, 3.3333331174e-1f);
  sum = fused(sum * mantissa, square, exponent * -2.12194440e-4f);
  sum = fused(-square, 0.5f, sum);
  return fused(exponent, 0.693359375f, mantissa + sum);
}

MT_INLINE void cephes_sincos(float x, float* sine, float* cosine) {
  int32_t octant = static_cast<int32_t>(x * 1.27323954473516f);
  octant = (octant + 1) & ~1;
  const float multiple = static_cast<float>(octant);
  x = fused(multiple, -0.78515625f, x);
  x = fused(multiple, -2.4187564849853515625e-4f, x);
  x = fused(multiple, -3.77489497744594108e-8f, x);
  const float square = x * x;
  float c = 2.443315711809948e-5f;
  c = fused(c, square, -1.388731625493765e-3f);
  c = fused(c, square, 4.166664568298827e-2f);
  c = fused(c * square, square, -0.5f * square) + 1.0f;
  float s = -1.9515295891e-4f;
  s = fused(s, square, 8.3321608736e-3f);
  s = fused(s, square, -1.6666654611e-1f);
  s = s * square;
  s = fused(s, x, x);
  const bool swap = (octant & 2) != 0;
  const uint32_t sine_sign = static_cast<uint32_t>(octant & 4) << 29;
  const uint32_t cosine_sign = static_cast<uint32_t>(~(octant - 2) & 4) << 29;
  *sine = std::bit_cast<float>(std::bit_cast<uint32_t>(swap ? c : s) ^ sine_sign);
  *cosine = std::bit_cast<float>(std::bit_cast<uint32_t>(swap ? s : c) ^ cosine_sign);
}

// Converts `count` blocks of 16 uniform numbers to normal ones in place.
MT_INLINE void box_muller_loop(float* data, int64_t count, float mean, float std) {
  for (int64_t b = 0; b < count; ++b, data += block) {
    float first[half_block];
    float second[half_block];
    for (int j = 0; j < half_block; ++j) {
      const float radius = __builtin_sqrtf(-2.0f * cephes_log(1.0f - data[j]));
      float sine;
      float cosine;
      cephes_sincos(2.0f * 3.14159265358979323846f * data[j + half_block], &sine, &cosine);
      first[j] = fused(radius * cosine, std, mean);
      second[j] = fused(radius * sine, std, mean);
    }
    for (int j = 0; j < half_block; ++j) data[j] = first[j];
    for (int j = 0; j < half_block; ++j) data[j + half_block] = second[j];
  }
}
MT_TARGET_BASELINE void box_muller_baseline(float* data, int64_t count, float mean, float std) { box_muller_loop(data, count, mean, std); }
MT_TARGET_AVX2 void box_muller_avx2(float* data, int64_t count, float mean, float std) { box_muller_loop(data, count, mean, std); }

void box_muller(float* data, int64_t count, float mean, float std) {
  // A block fills AVX2's registers exactly; AVX-512 would need two blocks at once and gain little.
  if (cpu_capability() == Capability::baseline) {
    box_muller_baseline(data, count, mean, std);
  } else {
    box_muller_avx2(data, count, mean, std);
  }
}

void box_muller(double* data, int64_t count, double mean, double std) {
  for (int64_t b = 0; b < count; ++b, data += block) {
    for (int j = 0; j < half_block; ++j) {
      const double radius = std::sqrt(-2.0 * std::log(1.0 - data[j]));
      const double angle = 2.0 * 3.14159265358979323846 * data[j + half_block];
      data[j] = __builtin_fma(radius * std::cos(angle), std, mean);
      data[j + half_block] = __builtin_fma(radius * std::sin(angle), std, mean);
    }
  }
}

// float and double: all uniform numbers first, then the blocks; a remainder draws the last 16 elements again.
template <class T>
void fill_normal_blocks(RandomEngine& engine, T* out, int64_t n, T mean, T std) {
  constexpr int64_t at_once = 2048;  // stays in the L1 cache between the two passes
  const int64_t whole = n / block * block;
  for (int64_t start = 0; start < whole; start += at_once) {
    const int64_t count = whole - start < at_once ? whole - start : at_once;
    fill_uniform<T>(engine, out + start, count, 0, 1);
    box_muller(out + start, count / block, mean, std);
  }
  if (whole == n) return;
  // torch draws the remainder's uniform numbers and overwrites them.
  engine.discard((n - whole) * static_cast<int64_t>(sizeof(T) / sizeof(float)));
  fill_uniform<T>(engine, out + n - block, block, 0, 1);
  box_muller(out + n - block, 1, mean, std);
}

// Half types: each block of 16 is drawn, computed in float and rounded. A remainder draws the last 16 elements again too, but torch never
// draws its own uniform numbers.
template <class T>
void fill_normal_narrow(RandomEngine& engine, T* out, int64_t n, float mean, float std) {
  constexpr int64_t at_once = 1024;
  alignas(64) float buffer[at_once];
  auto some = [&](T* target, int64_t count) {
    fill_uniform<float>(engine, buffer, count, 0, 1);
    box_muller(buffer, count / block, mean, std);
    for (int64_t j = 0; j < count; ++j) target[j] = T(buffer[j]);
  };
  const int64_t whole = n / block * block;
  for (int64_t start = 0; start < whole; start += at_once) some(out + start, std::min(at_once, whole - start));
  if (whole != n) some(out + n - block, block);
}

template <class T>
T narrow_value(double value) {
  if constexpr (std::is_same_v<T, double> || std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<float>(value));
  }
}

// Exponential numbers in float, from 64-bit draws. The contract is -1 / lambda * log1p(-u) in double by the C library, rounded to float. A
// logarithm within 2^-40 of it rounds to the same float unless it is that close to the midpoint of two floats. Returns false if one of them
// is, or is too small.
constexpr int64_t exponential_tile = 64;
MT_INLINE bool sample_exponentials(const uint32_t* words, float* values, int64_t n, double scale) {
  constexpr uint64_t two_52 = std::bit_cast<uint64_t>(0x1p52);
  constexpr uint64_t margin = uint64_t{1} << 15, middle = uint64_t{1} << 28, dropped = (uint64_t{1} << 29) - 1;
  uint64_t doubt = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double high = std::bit_cast<double>(two_52 | (words[2 * i] & 0x1fffffu)) - 0x1p52;
    const double low = std::bit_cast<double>(two_52 | words[2 * i + 1]) - 0x1p52;
    const double rest = 1.0 - (high * 0x1p-21 + low * 0x1p-53);  // exact
    const vec::detail::LogParts parts = vec::detail::log_parts(rest);
    const double value = scale * (parts.e * 0.69314718055994530942 + parts.log_m);
    values[i] = static_cast<float>(value);
    const uint64_t off_middle = (std::bit_cast<uint64_t>(value) - middle + margin) & dropped;
    doubt |= static_cast<uint64_t>(off_middle < 2 * margin) | static_cast<uint64_t>(!(value >= 0x1p-126));
  }
  return doubt == 0;
}
MT_TARGET_BASELINE bool exponentials_baseline(const uint32_t* words, float* values, int64_t n, double scale) {
  return sample_exponentials(words, values, n, scale);
}
MT_TARGET_AVX2 bool exponentials_avx2(const uint32_t* words, float* values, int64_t n, double scale) {
  return sample_exponentials(words, values, n, scale);
}
MT_TARGET_AVX512 bool exponentials_avx512(const uint32_t* words, float* values, int64_t n, double scale) {
  return sample_exponentials(words, values, n, scale);
}
auto try_fast_exponentials() {
  switch (cpu_capability()) {
    case Capability::avx512: return exponentials_avx512;
    case Capability::avx2: return exponentials_avx2;
    default: return exponentials_baseline;
  }
}

}  // namespace

template <class T>
void fill_normal_one_by_one(RandomEngine& engine, T* out, int64_t n, double mean, double std) {
  for (int64_t i = 0; i < n; ++i) out[i] = narrow_value<T>(__builtin_fma(engine.next_normal(), std, mean));
}

template <class T>
void fill_normal(RandomEngine& engine, T* out, int64_t n, double mean, double std) {
  if (n < block) {
    fill_normal_one_by_one(engine, out, n, mean, std);
  } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
    fill_normal_blocks<T>(engine, out, n, static_cast<T>(mean), static_cast<T>(std));
  } else {
    fill_normal_narrow(engine, out, n, static_cast<float>(mean), static_cast<float>(std));
  }
}

template <class T>
void fill_exponential(RandomEngine& engine, T* out, int64_t n, double lambda) {
  // The draws are sequential; their logarithms, which cost more, run in parallel.
  constexpr int64_t batch = 1 << 15, grain = 4096;
  const double scale = -1.0 / lambda;
  Buffer<uint32_t> drawn(2 * std::min(n, batch));
  uint32_t* const words = drawn.data();
  const auto tile = try_fast_exponentials();
  for (int64_t first = 0; first < n; first += batch) {
    const int64_t count = std::min(batch, n - first);
    for_each_run64(engine, count, [&](const uint32_t* from, int64_t at, int64_t some) {
      std::memcpy(words + 2 * at, from, static_cast<size_t>(some) * 8);
    });
    parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i += exponential_tile) {
        const int64_t some = std::min(exponential_tile, end - i);
        T* const to = out + first + i;
        float values[exponential_tile];
        if (!std::is_same_v<T, double> && tile(words + 2 * i, values, some, scale)) {
          for (int64_t j = 0; j < some; ++j) to[j] = T(values[j]);
        } else {
          for (int64_t j = 0; j < some; ++j) to[j] = narrow_value<T>(scale * std::log1p(-uniform53(words + 2 * (i + j))));
        }
      }
    });
  }
}

template <class T>
void fill_cauchy(RandomEngine& engine, T* out, int64_t n, double median, double sigma) {
  for (int64_t i = 0; i < n; ++i) {
    const double tangent = std::tan(3.14159265358979323846 * (engine.next_uniform53() - 0.5));
    out[i] = narrow_value<T>(__builtin_fma(tangent, sigma, median));
  }
}

template <class T>
void fill_log_normal(RandomEngine& engine, T* out, int64_t n, double mean, double std) {
  for (int64_t i = 0; i < n; ++i) out[i] = narrow_value<T>(std::exp(__builtin_fma(engine.next_normal(), std, mean)));
}

template <class T>
void fill_geometric(RandomEngine& engine, T* out, int64_t n, double p) {
  const double scale = std::log1p(-p);
  for (int64_t i = 0; i < n; ++i) out[i] = narrow_value<T>(std::ceil(std::log(engine.next_uniform53()) / scale));
}

#define MT_INSTANTIATE(T)                                                              \
  template void fill_normal<T>(RandomEngine&, T*, int64_t, double, double);            \
  template void fill_normal_one_by_one<T>(RandomEngine&, T*, int64_t, double, double); \
  template void fill_exponential<T>(RandomEngine&, T*, int64_t, double);               \
  template void fill_cauchy<T>(RandomEngine&, T*, int64_t, double, double);            \
  template void fill_log_normal<T>(RandomEngine&, T*, int64_t, double, double);        \
  template void fill_geometric<T>(RandomEngine&, T*, int64_t, double);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
#undef MT_INSTANTIATE
#define MT_INSTANTIATE(T) template void fill_geometric<T>(RandomEngine&, T*, int64_t, double);
MT_INSTANTIATE(int8_t)
MT_INSTANTIATE(int16_t)
MT_INSTANTIATE(int32_t)
MT_INSTANTIATE(int64_t)
MT_INSTANTIATE(uint8_t)

}  // namespace mt::cpu
