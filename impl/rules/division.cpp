// Kernels of floor_divide, remainder and fmod; those of floats vectorise, the C library's fmod does not.
#include "rules/division.h"

#include "cpu/clones.h"
#include "cpu/vecmath_more.h"

namespace mt {
namespace {

// What becomes of a, b and the exact remainder of a / b with a's sign, for b other than 0.
struct Fmod {
  template <class T>
  static MT_INLINE T finish(T, T, T rest) {
    return rest;
  }
  template <class T>
  static T plain(T a, T b) {
    return fmod_of(a, b);
  }
};
struct Remainder {
  template <class T>
  static MT_INLINE T finish(T, T b, T rest) {
    return (rest != 0) & ((rest < 0) != (b < 0)) ? rest + b : rest;
  }
  template <class T>
  static T plain(T a, T b) {
    return remainder_floor(a, b);
  }
};
struct Floor {
  template <class T>
  static MT_INLINE T finish(T a, T b, T rest) {
    T quotient = (a - rest) / b;
    quotient = (rest != 0) & ((rest < 0) != (b < 0)) ? quotient - 1 : quotient;
    const T low = std::floor(quotient), floored = quotient - low > T(0.5) ? low + 1 : low;
    return quotient == 0 ? cpu::vec::detail::copy_sign(T(0), a / b) : floored;
  }
  template <class T>
  static T plain(T a, T b) {
    return divide_floor(a, b);
  }
};

// What the truncated quotient leaves. In double, the quotient of two floats is exact below 2^28, and so is the rest: 2^28 times 24 bits
// have room. The quotient of two doubles may be one too large below 2^52, where the fused rest is exact and its sign tells.
MT_INLINE double rest_of(float x, float y, double quotient) { return double(x) - std::trunc(quotient) * double(y); }
MT_INLINE double rest_of(double x, double y, double quotient) {
  const double size = std::fabs(x), by = std::fabs(y), rest = cpu::vec::fused(-std::trunc(std::fabs(quotient)), by, size);
  return rest < 0 ? rest + by : rest;
}
template <class T>
inline constexpr double largest_quotient = std::is_same_v<T, float> ? 0x1p28 : 0x1p52;
// Blocks with greater quotients, zeros, infinities or NaN go through again, one by one.
template <class F, class T>
struct FloatLoop {
  static MT_INLINE void run(void* out, const void* const* in, int64_t n) {
    constexpr int64_t block = 64;
    T* __restrict to = static_cast<T*>(out);
    const T *a = static_cast<const T*>(in[0]), *b = static_cast<const T*>(in[1]);
    for (int64_t begin = 0; begin < n; begin += block) {
      const int64_t count = n - begin < block ? n - begin : block;
      T result[block];
      int hard = 0;
      for (int64_t i = 0; i < count; ++i) {
        const T x = a[begin + i], y = b[begin + i];
        const double quotient = double(x) / double(y);
        hard |= !(std::fabs(quotient) < largest_quotient<T>) | !(std::fabs(y) < std::numeric_limits<T>::infinity());
        result[i] = F::finish(x, y, cpu::vec::detail::copy_sign(T(rest_of(x, y, quotient)), x));
      }
      if (hard)
        for (int64_t i = 0; i < count; ++i) result[i] = F::plain(a[begin + i], b[begin + i]);
      for (int64_t i = 0; i < count; ++i) to[begin + i] = result[i];
    }
  }
};

template <class F>
constexpr auto plain = [](auto a, auto b) { return F::plain(a, b); };

template <class F>
PointwiseKernel kernel(const char* name) {
  PointwiseKernel k = elementwise<plain<F>, 2, dtypes::integral>(name);
  k.dtypes = dtypes::real;
  auto vectorised = [&]<class T>(Type<T>) {
    const int slot = slot_of(dtype_of<T>);
    for (PointwiseLoop& loop : k.loops[slot]) loop = cpu::detail::chosen<FloatLoop<F, T>>(FloatLoop<F, T>::run);
    k.results[slot] = dtype_of<T>;
  };
  vectorised(Type<float>());
  vectorised(Type<double>());
  return k;
}
template <class F>
const PointwiseKernel* kept(const char* name) {
  static const PointwiseKernel k = kernel<F>(name);
  return &k;
}

}  // namespace

namespace {

constexpr auto truncated = [](auto a, auto b) { return divide_trunc(a, b); };
template <class H>
constexpr auto truncated_rounded = [](float a, float b) { return divide_trunc_rounded<H>(a, b); };
template <class H>
constexpr auto floored_rounded = [](float a, float b) { return divide_floor_rounded<H>(a, b); };

// The half type that both operands are computed in; none where the divisor is one number.
Dtype rounding_dtype(const Tensor* operands) {
  const Dtype dtype = result_type(operands, 2);
  return is_half(dtype) && operands[1].numel() != 1 ? dtype : Dtype::none;
}

}  // namespace

const PointwiseKernel* floor_division_kernel(const Tensor* operands) {
  switch (rounding_dtype(operands)) {
    case Dtype::bfloat16: return kernel_of<floored_rounded<BFloat16>, 2, dtypes::half>("div_floor_cpu");
    case Dtype::float16: return kernel_of<floored_rounded<Half>, 2, dtypes::half>("div_floor_cpu");
    default: return kept<Floor>("div_floor_cpu");
  }
}
const PointwiseKernel* trunc_division_kernel(const Tensor* operands) {
  switch (rounding_dtype(operands)) {
    case Dtype::bfloat16: return kernel_of<truncated_rounded<BFloat16>, 2, dtypes::half>("div_trunc_cpu");
    case Dtype::float16: return kernel_of<truncated_rounded<Half>, 2, dtypes::half>("div_trunc_cpu");
    default: return kernel_of<truncated, 2, dtypes::real>("div_trunc_cpu");
  }
}
const PointwiseKernel* remainder_kernel() { return kept<Remainder>("remainder_cpu"); }
const PointwiseKernel* fmod_kernel() { return kept<Fmod>("fmod_cpu"); }

}  // namespace mt
