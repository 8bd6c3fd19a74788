// Exponentials of complex numbers, vectorised.
#include "rules/pointwise/complex_loops.h"

namespace mt {
namespace {

// Between these bounds neither e^x nor its product with a sine or cosine needs special treatment.
template <class T>
inline constexpr T min_fast_exponent = sizeof(T) == 4 ? T(-60) : T(-600);
template <class T>
inline constexpr T max_fast_exponent = sizeof(T) == 4 ? T(88) : T(709);
template <class T>
MT_INLINE bool needs_accurate_path(T re, T im) {
  return !((re >= min_fast_exponent<T>)&(re <= max_fast_exponent<T>)&(abs_(im) <= T(0x1p30)));
}

struct Exponentials {
  static constexpr int64_t block = 256;
  template <class T>
  static MT_INLINE void run(const Complex<T>* exponents, Complex<T>* results, int64_t n, T sign, bool* any_rare) {
    alignas(64) T re[block], im[block];
    int found = 0;
    for (int64_t i = 0; i < n; ++i) re[i] = sign * exponents[i].re, im[i] = sign * exponents[i].im;
    for (int64_t i = 0; i < n; ++i) found |= needs_accurate_path(re[i], im[i]);
    for (int64_t i = 0; i < n; ++i) {
      const T size = exp_(re[i]), angle = im[i];
      re[i] = size * cos_(angle);
      im[i] = size * sin_(angle);
    }
    for (int64_t i = 0; i < n; ++i) results[i] = {re[i], im[i]};
    *any_rare = found != 0;
  }
};

template <class T>
void compute_exponentials(const Complex<T>* x, Complex<T>* y, int64_t n, T sign) {
  static const auto run = cpu::detail::choose_clone<Exponentials>(Exponentials::run<T>);
  for (int64_t begin = 0; begin < n; begin += Exponentials::block, x += Exponentials::block, y += Exponentials::block) {
    const int64_t count = n - begin < Exponentials::block ? n - begin : Exponentials::block;
    bool any_rare = false;
    run(x, y, count, sign, &any_rare);
    if (!any_rare) continue;
    for (int64_t i = 0; i < count; ++i)
      if (const Complex<T> power = sign < 0 ? -x[i] : x[i]; needs_accurate_path(power.re, power.im)) y[i] = exp_(power);
  }
}

}  // namespace

void complex_exponentials(const Complex<float>* x, Complex<float>* y, int64_t n, float sign) { compute_exponentials(x, y, n, sign); }
void complex_exponentials(const Complex<double>* x, Complex<double>* y, int64_t n, double sign) { compute_exponentials(x, y, n, sign); }

}  // namespace mt
