// Kernels of floor_divide, remainder and fmod; those of floats vectorise, the C library's fmod does not.
#include "rules/division.h"

#include "cpu/clones.h"
#include "cpu/vecmath.h"

namespace mt {
namespace {

// What becomes of a, b and the exact remainder of a / b with a's sign, for b other than 0.
struct Fmod {
  static MT_INLINE float finish(float, float, float rest) { return rest; }
  template <class T>
  static T plain(T a, T b) {
    return fmod_of(a, b);
  }
};
struct Remainder {
  static MT_INLINE float finish(float, float b, float rest) { return (rest != 0) & ((rest < 0) != (b < 0)) ? rest + b : rest; }
  template <class T>
  static T plain(T a, T b) {
    return remainder_floor(a, b);
  }
};
struct Floor {
  static MT_INLINE float finish(float a, float b, float rest) {
    float quotient = (a - rest) / b;
    quotient = (rest != 0) & ((rest < 0) != (b < 0)) ? quotient - 1 : quotient;
    const float low = std::floor(quotient), floored = quotient - low > 0.5f ? low + 1 : low;
    return quotient == 0 ? cpu::vec::detail::copy_sign(0.0f, a / b) : floored;
  }
  template <class T>
  static T plain(T a, T b) {
    return divide_floor(a, b);
  }
};

// In double, the truncated quotient of two floats is exact below 2^28, and so is what it leaves: 2^28 times 24 bits have room.
// Blocks with greater quotients, zeros, infinities or NaN go through again, one by one.
template <class F>
struct FloatLoop {
  static MT_INLINE void run(void* out, const void* const* in, int64_t n) {
    constexpr int64_t block = 64;
    float* __restrict to = static_cast<float*>(out);
    const float *a = static_cast<const float*>(in[0]), *b = static_cast<const float*>(in[1]);
    for (int64_t begin = 0; begin < n; begin += block) {
      const int64_t count = n - begin < block ? n - begin : block;
      float result[block];
      int hard = 0;
      for (int64_t i = 0; i < count; ++i) {
        const float x = a[begin + i], y = b[begin + i];
        const double quotient = double(x) / double(y), rest = double(x) - std::trunc(quotient) * double(y);
        hard |= !(std::fabs(quotient) < 268435456.0) | !(std::fabs(y) < std::numeric_limits<float>::infinity());
        result[i] = F::finish(x, y, cpu::vec::detail::copy_sign(float(rest), x));
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
  constexpr Dtypes others = Dtypes(uint64_t(dtypes::integral) | dtype_bit(Dtype::float64));
  PointwiseKernel k = elementwise<plain<F>, 2, others>(name);
  k.dtypes = dtypes::real;
  const int slot = slot_of(Dtype::float32);
  for (PointwiseLoop& loop : k.loops[slot]) loop = cpu::detail::chosen<FloatLoop<F>>(FloatLoop<F>::run);
  k.results[slot] = Dtype::float32;
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
