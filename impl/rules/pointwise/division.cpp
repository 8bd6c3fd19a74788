// Kernels of floor_divide, remainder and fmod through quotients of doubles, which vectorise; the C library's fmod and integer division do
// not.
#include "rules/pointwise/division.h"

#include <bit>

#include "cpu/clones.h"
#include "cpu/math/vecmath_more.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

// Rounds towards zero.
template <class T>
T divide_trunc(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;  // refused before the kernel runs
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return T(0 - std::make_unsigned_t<T>(a));  // the smallest integer has no negative
    return a / b;
  } else {
    return std::trunc(a / b);
  }
}
// The remainder with the divisor's sign, as Python's %.
template <class T>
T remainder_floor(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return 0;
    T r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? T(r + b) : r;
  } else {
    T r = std::fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
}
// The remainder with the dividend's sign, as C's fmod.
template <class T>
T fmod_of(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return 0;
    return T(a % b);
  } else {
    return std::fmod(a, b);
  }
}
// Rounds down, as Python's //.
template <class T>
T divide_floor(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    T q = divide_trunc(a, b);
    if constexpr (std::is_signed_v<T>)
      if (b != T(-1) && a % b != 0 && (a < 0) != (b < 0)) return T(q - 1);
    return q;
  } else {
    if (b == 0) return a / b;
    T mod = std::fmod(a, b), div = (a - mod) / b;
    if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
    if (div == 0) return std::copysign(T(0), a / b);
    T floored = std::floor(div);
    return div - floored > T(0.5) ? floored + 1 : floored;
  }
}
// Floor division of half types: torch rounds after each step. A divisor that is a single number is not rounded, and divides in float.
template <class Half>
float round_through_half(float x) {
  return float(Half(x));
}
template <class Half>
float divide_trunc_rounded(float a, float b) {
  return std::trunc(round_through_half<Half>(a / b));
}
template <class Half>
float divide_floor_rounded(float a, float b) {
  if (b == 0) return a / b;
  const float rest = std::fmod(a, b);
  float div = round_through_half<Half>(round_through_half<Half>(a - rest) / b);
  if (rest != 0 && (b < 0) != (rest < 0)) div = round_through_half<Half>(div - 1);
  if (div == 0) return std::copysign(0.0f, a / b);
  const float floored = std::floor(div);
  return round_through_half<Half>(div - floored) > 0.5f ? round_through_half<Half>(floored + 1) : floored;
}
// Each operator's last step: the result from a, b and the exact remainder of a / b with the sign of a, for b other than 0.
// finish_integer_result gets the truncated quotient, too; compute_exactly is the operator for any operands, one pair at a time.
struct Fmod {
  template <class T>
  static MT_INLINE T finish_integer_result(T, T, T rest) {
    return rest;
  }
  template <class T>
  static MT_INLINE T finish_float_result(T, T, T rest) {
    return rest;
  }
  template <class T>
  static T compute_exactly(T a, T b) {
    return fmod_of(a, b);
  }
};
struct Remainder {
  template <class T>
  static MT_INLINE T finish_integer_result(T b, T, T rest) {
    return (rest != 0) & ((rest < 0) != (b < 0)) ? T(rest + b) : rest;
  }
  template <class T>
  static MT_INLINE T finish_float_result(T, T b, T rest) {
    return (rest != 0) & ((rest < 0) != (b < 0)) ? rest + b : rest;
  }
  template <class T>
  static T compute_exactly(T a, T b) {
    return remainder_floor(a, b);
  }
};
struct Floor {
  template <class T>
  static MT_INLINE T finish_integer_result(T b, T quotient, T rest) {
    return (rest != 0) & ((rest < 0) != (b < 0)) ? T(quotient - 1) : quotient;
  }
  template <class T>
  static MT_INLINE T finish_float_result(T a, T b, T rest) {
    T quotient = (a - rest) / b;
    quotient = (rest != 0) & ((rest < 0) != (b < 0)) ? quotient - 1 : quotient;
    const T low = std::floor(quotient), floored = quotient - low > T(0.5) ? low + 1 : low;
    return quotient == 0 ? cpu::vec::detail::copy_sign(T(0), a / b) : floored;
  }
  template <class T>
  static T compute_exactly(T a, T b) {
    return divide_floor(a, b);
  }
};

// Floor division that rounds to a half type after each step. The argument of `round_to_half` is zero, at least 2^-11, or has no more bits
// than the type, so that its subnormals need no care.
template <class H>
struct RoundedFloor {
  static MT_INLINE float round_to_half(float x) {
    constexpr int drop = std::is_same_v<H, Half> ? 13 : 16;
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    return std::bit_cast<float>((bits + (1u << (drop - 1)) - 1 + (bits >> drop & 1)) & (~0u << drop));
  }
  static MT_INLINE float finish_float_result(float a, float b, float rest) {
    float quotient = round_to_half(round_to_half(a - rest) / b);
    quotient = (rest != 0) & ((rest < 0) != (b < 0)) ? round_to_half(quotient - 1) : quotient;
    const float low = std::floor(quotient), floored = round_to_half(quotient - low) > 0.5f ? round_to_half(low + 1) : low;
    return quotient == 0 ? cpu::vec::detail::copy_sign(0.0f, a / b) : floored;
  }
  static float compute_exactly(float a, float b) { return divide_floor_rounded<H>(a, b); }
};

// The remainder x - trunc(quotient) * y. For float operands below 2^28, quotient and remainder are exact in double: the product of 28 and
// 24 bits fits. For double operands the quotient may be one too large below 2^52; the fused remainder is exact there, and a negative one
// shows it.
MT_INLINE double remainder_of(float x, float y, double quotient) { return double(x) - std::trunc(quotient) * double(y); }
MT_INLINE double remainder_of(double x, double y, double quotient) {
  const double size = std::fabs(x), by = std::fabs(y), rest = cpu::vec::fused(-std::trunc(std::fabs(quotient)), by, size);
  return rest < 0 ? rest + by : rest;
}
template <class F, class T>
inline constexpr double largest_quotient = std::is_same_v<T, float> ? 0x1p28 : 0x1p52;
template <>
inline constexpr double largest_quotient<RoundedFloor<Half>, float> = 0x1p15;
// Blocks with larger quotients, zeros, infinities or NaN are computed again one by one, in a function that all clones share.
template <class F, class T>
[[gnu::noinline]] void run_exactly(T* result, const T* a, const T* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) result[i] = F::compute_exactly(a[i], b[i]);
}
// Computes to[i] = value(a[i], b[i], hard) in blocks; value sets `hard` if its fast computation does not apply, and the block is then
// computed again exactly.
template <class F, class H, class T, class V>
MT_INLINE void compute_blocks_with_exact_fallback(T* __restrict to, const T* a, const T* b, int64_t n, V&& value) {
  constexpr int64_t block = 64;
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t count = n - begin < block ? n - begin : block;
    T result[block];
    H hard = 0;
    for (int64_t i = 0; i < count; ++i) result[i] = value(a[begin + i], b[begin + i], hard);
    if (hard) run_exactly<F>(result, a + begin, b + begin, count);
    for (int64_t i = 0; i < count; ++i) to[begin + i] = result[i];
  }
}
template <class F, class T>
struct FloatLoop {
  static MT_INLINE void run(void* out, const void* const* in, int64_t n) {
    const auto value = [](T x, T y, int& hard) __attribute__((always_inline)) {
      const double quotient = double(x) / double(y);
      hard |= !(std::fabs(quotient) < largest_quotient<F, T>) | !(std::fabs(y) < std::numeric_limits<T>::infinity());
      return F::finish_float_result(x, y, cpu::vec::detail::copy_sign(T(remainder_of(x, y, quotient)), x));
    };
    compute_blocks_with_exact_fallback<F, int>(static_cast<T*>(out), static_cast<const T*>(in[0]), static_cast<const T*>(in[1]), n, value);
  }
};

// Divides integers as doubles: quotients of integers below 2^53 never round up to an integer. 64-bit integers are converted by adding 1.5 *
// 2^52, where the last bit of a double is one unit, since AVX2 has no instruction for it.
MT_INLINE double integer_to_double(int32_t x) { return x; }
MT_INLINE double integer_to_double(int64_t x) { return std::bit_cast<double>(x + std::bit_cast<int64_t>(0x1.8p52)) - 0x1.8p52; }
MT_INLINE int32_t double_to_integer(double x, int32_t) { return int32_t(x); }
MT_INLINE int64_t double_to_integer(double x, int64_t) { return std::bit_cast<int64_t>(x + 0x1.8p52) - std::bit_cast<int64_t>(0x1.8p52); }
// Non-zero if the quotient of doubles is not exact, or y is 0.
MT_INLINE int32_t needs_exact_path(int32_t x, int32_t y) { return (y == 0) | ((x == std::numeric_limits<int32_t>::min()) & (y == -1)); }
MT_INLINE int64_t needs_exact_path(int64_t x, int64_t y) {
  constexpr int64_t half = int64_t(1) << 51;
  return ((x + half) | (y + half)) >> 52 | (y == 0);
}
template <class F, class T>
struct IntegerLoop {
  static MT_INLINE void run(void* out, const void* const* in, int64_t n) {
    const auto value = [](T x, T y, T& hard) __attribute__((always_inline)) {
      hard |= needs_exact_path(x, y);
      const double dividend = integer_to_double(x), divisor = integer_to_double(y), quotient = std::trunc(dividend / divisor);
      return F::finish_integer_result(y, double_to_integer(quotient, T()), double_to_integer(dividend - quotient * divisor, T()));
    };
    compute_blocks_with_exact_fallback<F, T>(static_cast<T*>(out), static_cast<const T*>(in[0]), static_cast<const T*>(in[1]), n, value);
  }
};

template <class F>
constexpr auto plain = [](auto a, auto b) { return F::compute_exactly(a, b); };

template <class Loop, class T>
void add_loop(PointwiseKernel& k) {
  using namespace cpu::detail;
  const int slot = loop_slot_of(dtype_of<T>);
  PointwiseLoop* const loops = k.loops[slot];
  loops[0] = run_baseline<Loop, void*, const void* const*, int64_t>;
  loops[1] = loops[2] = run_avx2<Loop, void*, const void* const*, int64_t>;
  if constexpr (std::is_floating_point_v<T>) loops[2] = run_avx512<Loop, void*, const void* const*, int64_t>;
  k.results[slot] = dtype_of<T>;
}
template <class F>
PointwiseKernel division_kernel(const char* name) {
  constexpr Dtypes wide = Dtypes{dtype_bit(Dtype::int32) | dtype_bit(Dtype::int64)};
  PointwiseKernel k = elementwise<plain<F>, 2, Dtypes{uint64_t(dtypes::integral) & ~uint64_t(wide)}>(name);
  k.dtypes = dtypes::real;
  add_loop<FloatLoop<F, float>, float>(k);
  add_loop<FloatLoop<F, double>, double>(k);
  add_loop<IntegerLoop<F, int32_t>, int32_t>(k);
  add_loop<IntegerLoop<F, int64_t>, int64_t>(k);
  return k;
}
template <class F>
const PointwiseKernel* make_kernel(const char* name) {
  static const PointwiseKernel k = division_kernel<F>(name);
  return &k;
}

constexpr auto truncate = [](auto a, auto b) { return divide_trunc(a, b); };
template <class H>
constexpr auto truncated_rounded = [](float a, float b) { return divide_trunc_rounded<H>(a, b); };
template <class H>
const PointwiseKernel* rounded_floor_kernel() {
  static const PointwiseKernel kernel = [] {
    PointwiseKernel k{};
    k.name = "div_floor_cpu", k.inputs = 2, k.dtypes = dtypes::half;
    add_loop<FloatLoop<RoundedFloor<H>, float>, float>(k);
    return k;
  }();
  return &kernel;
}

// The half type in which both operands are computed; none if the divisor is a single number.
Dtype rounding_dtype(const Tensor* operands) {
  const Dtype dtype = result_type(operands, 2);
  return is_half(dtype) && operands[1].numel() != 1 ? dtype : Dtype::none;
}

}  // namespace

const PointwiseKernel* floor_division_kernel(const Tensor* operands) {
  switch (rounding_dtype(operands)) {
    case Dtype::bfloat16: return rounded_floor_kernel<BFloat16>();
    case Dtype::float16: return rounded_floor_kernel<Half>();
    default: return make_kernel<Floor>("div_floor_cpu");
  }
}
const PointwiseKernel* trunc_division_kernel(const Tensor* operands) {
  switch (rounding_dtype(operands)) {
    case Dtype::bfloat16: return kernel_of<truncated_rounded<BFloat16>, 2, dtypes::half>("div_trunc_cpu");
    case Dtype::float16: return kernel_of<truncated_rounded<Half>, 2, dtypes::half>("div_trunc_cpu");
    default: return kernel_of<truncate, 2, dtypes::real>("div_trunc_cpu");
  }
}
const PointwiseKernel* remainder_kernel() { return make_kernel<Remainder>("remainder_cpu"); }
const PointwiseKernel* fmod_kernel() { return make_kernel<Fmod>("fmod_cpu"); }

}  // namespace mt
