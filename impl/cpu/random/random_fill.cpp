// Fills tensors with uniform, Bernoulli and integer numbers and permutations from torch's stream.
#include <cmath>
#include <type_traits>

#include "core/capability.h"
#include "cpu/random/random.h"
#include "cpu/random/random_runs.h"

namespace mt::cpu {
namespace {

#define MT_INLINE __attribute__((always_inline)) inline

// Defines name(): a clone of the scalar name_loop() per instruction set, and the choice between them.
#define MT_THREE_LEVELS(name, parameters, arguments)                  \
  template <class T>                                                  \
  MT_TARGET_BASELINE void name##_baseline parameters {                \
    name##_loop arguments;                                            \
  }                                                                   \
  template <class T>                                                  \
  MT_TARGET_AVX2 void name##_avx2 parameters {                        \
    name##_loop arguments;                                            \
  }                                                                   \
  template <class T>                                                  \
  MT_TARGET_AVX512 void name##_avx512 parameters {                    \
    name##_loop arguments;                                            \
  }                                                                   \
  template <class T>                                                  \
  void name parameters {                                              \
    switch (cpu_capability()) {                                       \
      case Capability::avx512: return name##_avx512<T> arguments;     \
      case Capability::avx2: return name##_avx2<T> arguments;         \
      case Capability::baseline: return name##_baseline<T> arguments; \
    }                                                                 \
  }

// torch uses a fused multiply-add, and replaces results that round up to `to`.
template <class T>
MT_INLINE void scale_loop(const uint32_t* words, T* out, int64_t count, float from, float span, T to) {
  const T low = T(from);
  for (int64_t i = 0; i < count; ++i) {
    const T value = T(__builtin_fmaf(uniform24(words[i]), span, from));
    out[i] = static_cast<float>(value) == static_cast<float>(to) ? low : value;
  }
}
MT_THREE_LEVELS(scale, (const uint32_t* words, T* out, int64_t count, float from, float span, T to), (words, out, count, from, span, to))

template <class T>
MT_INLINE void scale_wide_loop(const uint32_t* words, T* out, int64_t count, double from, double span, double to) {
  for (int64_t i = 0; i < count; ++i) {
    const double value = __builtin_fma(uniform53(words + 2 * i), span, from);
    out[i] = value == to ? from : value;
  }
}
MT_THREE_LEVELS(scale_wide, (const uint32_t* words, T* out, int64_t count, double from, double span, double to),
                (words, out, count, from, span, to))

// Computes the remainder by a double reciprocal: exact after one correction, and it vectorises, unlike a division.
template <class T>
MT_INLINE void remainder_loop(const uint32_t* words, T* out, int64_t count, int32_t range, int64_t base) {
  const double reciprocal = 1.0 / range;
  for (int64_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(static_cast<int32_t>(words[i] ^ 0x80000000u)) + 2147483648.0;
    const int32_t quotient = static_cast<int32_t>(value * reciprocal);
    int32_t rest = static_cast<int32_t>(words[i] - static_cast<uint32_t>(quotient) * static_cast<uint32_t>(range));
    rest += rest < 0 ? range : 0;
    rest -= rest >= range ? range : 0;
    if constexpr (std::is_same_v<T, bool>) {
      out[i] = rest + base != 0;
    } else if constexpr (std::is_integral_v<T>) {
      out[i] = static_cast<T>(rest + base);
    } else if constexpr (std::is_same_v<T, double>) {
      out[i] = static_cast<double>(rest + base);
    } else {
      out[i] = static_cast<T>(static_cast<float>(rest + base));
    }
  }
}
MT_THREE_LEVELS(remainder, (const uint32_t* words, T* out, int64_t count, int32_t range, int64_t base), (words, out, count, range, base))

template <class T>
MT_INLINE void bernoulli_loop(const uint32_t* words, T* out, int64_t count, int64_t bound) {
  for (int64_t i = 0; i < count; ++i) {
    const bool hit = static_cast<int64_t>(join64(words + 2 * i) & low_53_bits) < bound;
    out[i] = static_cast<T>(hit ? 1 : 0);
  }
}
MT_THREE_LEVELS(bernoulli, (const uint32_t* words, T* out, int64_t count, int64_t bound), (words, out, count, bound))

template <class T, class N>
T from_integer(N value) {
  if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<float>(value));
  }
}

}  // namespace

template <class T>
void fill_uniform(RandomEngine& engine, T* out, int64_t n, double from, double to) {
  if constexpr (std::is_same_v<T, double>) {
    for_each_run64(engine, n, [&](const uint32_t* words, int64_t first, int64_t count) {
      scale_wide<double>(words, out + first, count, from, to - from, to);
    });
  } else {
    const float low = static_cast<float>(from);
    const float high = static_cast<float>(to);
    for_each_run32(engine, n, [&](const uint32_t* words, int64_t first, int64_t count) {
      scale<T>(words, out + first, count, low, high - low, T(high));
    });
  }
}

template <class T>
void fill_bernoulli(RandomEngine& engine, T* out, int64_t n, double p) {
  // Compares the 53 random bits with p as integers; scaling p is exact.
  const int64_t bound = static_cast<int64_t>(std::ceil(p * 0x1p53));
  for_each_run64(engine, n, [&](const uint32_t* words, int64_t first, int64_t count) { bernoulli<T>(words, out + first, count, bound); });
}

template <class T, class P>
void fill_bernoulli(RandomEngine& engine, T* out, const P* p, int64_t n) {
  if constexpr (std::is_same_v<P, double>) {
    for_each_run64(engine, n, [&](const uint32_t* words, int64_t first, int64_t count) {
      for (int64_t i = 0; i < count; ++i) out[first + i] = from_integer<T>(uniform53(words + 2 * i) < p[first + i] ? 1 : 0);
    });
  } else {
    for_each_run32(engine, n, [&](const uint32_t* words, int64_t first, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        out[first + i] = from_integer<T>(uniform24(words[i]) < static_cast<float>(p[first + i]) ? 1 : 0);
      }
    });
  }
}

template <class T>
void fill_random_range(RandomEngine& engine, T* out, int64_t n, uint64_t range, int64_t base) {
  constexpr uint64_t wide_from = uint64_t{1} << 28;
  if (range != 0 && range < wide_from) {
    for_each_run32(engine, n, [&](const uint32_t* words, int64_t first, int64_t count) {
      if (range == 1) {
        for (int64_t i = 0; i < count; ++i) out[first + i] = from_integer<T>(base);
      } else {
        remainder<T>(words, out + first, count, static_cast<int32_t>(range), base);
      }
    });
    return;
  }
  for_each_run64(engine, n, [&](const uint32_t* words, int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t word = join64(words + 2 * i);
      const uint64_t value = range != 0 ? word % range + static_cast<uint64_t>(base) : word;
      out[first + i] = from_integer<T>(static_cast<int64_t>(value));
    }
  });
}

template <class T>
void fill_random(RandomEngine& engine, T* out, int64_t n) {
  if constexpr (std::is_same_v<T, bool>) {
    for (int64_t i = 0; i < n; ++i) out[i] = (engine.next32() & 1u) != 0;
  } else if constexpr (std::is_same_v<T, double>) {
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<double>(engine.next64() % ((uint64_t{1} << 53) + 1));
  } else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t value = engine.next64();
      out[i] = static_cast<T>(std::is_signed_v<T> ? value & ~(uint64_t{1} << 63) : value);
    }
  } else if constexpr (std::is_integral_v<T>) {
    const uint32_t mask = static_cast<uint32_t>(std::numeric_limits<T>::max());
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(engine.next32() & mask);
  } else {
    const uint32_t range = (1u << std::numeric_limits<T>::digits) + 1;
    for (int64_t i = 0; i < n; ++i) out[i] = from_integer<T>(engine.next32() % range);
  }
}

template <class T>
void fill_randperm(RandomEngine& engine, T* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = from_integer<T>(i);
  for (int64_t i = 0; i + 1 < n; ++i) {
    const int64_t other = i + static_cast<int64_t>(engine.next32() % static_cast<uint64_t>(n - i));
    const T kept = out[i];
    out[i] = out[other];
    out[other] = kept;
  }
}

#define MT_FLOATING(M) M(float) M(double) M(Half) M(BFloat16)
#define MT_INTEGERS(M) M(int8_t) M(int16_t) M(int32_t) M(int64_t) M(uint8_t) M(bool)
#define MT_BAREBONES_UNSIGNED(M) M(uint16_t) M(uint32_t) M(uint64_t)

#define MT_INSTANTIATE(T) template void fill_uniform<T>(RandomEngine&, T*, int64_t, double, double);
MT_FLOATING(MT_INSTANTIATE)
#undef MT_INSTANTIATE
#define MT_INSTANTIATE(T) template void fill_random_range<T>(RandomEngine&, T*, int64_t, uint64_t, int64_t);
MT_FLOATING(MT_INSTANTIATE)
MT_INTEGERS(MT_INSTANTIATE)
MT_BAREBONES_UNSIGNED(MT_INSTANTIATE)
#undef MT_INSTANTIATE
#define MT_INSTANTIATE(T)                                                             \
  template void fill_bernoulli<T>(RandomEngine&, T*, int64_t, double);                \
  template void fill_bernoulli<T, float>(RandomEngine&, T*, const float*, int64_t);   \
  template void fill_bernoulli<T, double>(RandomEngine&, T*, const double*, int64_t); \
  template void fill_random<T>(RandomEngine&, T*, int64_t);                           \
  template void fill_randperm<T>(RandomEngine&, T*, int64_t);
MT_FLOATING(MT_INSTANTIATE)
MT_INTEGERS(MT_INSTANTIATE)

}  // namespace mt::cpu
