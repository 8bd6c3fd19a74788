// Turns a function of doubles into the functions that loops in a target clone call: for one number, and for vectors of four and eight.
//
// For the files that define such functions. A function is a struct with `compute`, in straight-line code, or with `is_near`,
// `compute_near` and `compute_far`; `compute_far` gets the result of `compute_near` and is skipped if the whole vector is near.
// With `limit` and `exact`, arguments beyond a size are computed differently.
#pragma once

#include "core/capability.h"
#include "cpu/math/vecmath_more.h"

namespace mt::cpu::vec {

template <class F>
concept Limited = requires { F::limit; };
template <class F>
concept Parted = requires { &F::compute_near; };

// Computes a vector element by element through arrays, which the compiler optimises away.
template <class F, int lanes, class... V>
__attribute__((always_inline)) inline void apply_to_arrays(double* y, const V*... x) {
  using detail::magnitude;
  if constexpr (Parted<F>) {
    uint64_t near = 1;
    for (int i = 0; i < lanes; ++i) near &= F::is_near(x[i]...);
    for (int i = 0; i < lanes; ++i) y[i] = F::compute_near(x[i]...);
    if (__builtin_expect(near, true)) return;
    for (int i = 0; i < lanes; ++i) y[i] = detail::select(F::is_near(x[i]...), y[i], F::compute_far(x[i]..., y[i]));
  } else {
    for (int i = 0; i < lanes; ++i) y[i] = F::compute(x[i]...);
  }
  if constexpr (Limited<F>) {
    bool far = false;
    for (int i = 0; i < lanes; ++i) far |= ((magnitude(x[i]) > F::limit) | ...);
    if (__builtin_expect(far, false))
      for (int i = 0; i < lanes; ++i)
        if (((magnitude(x[i]) > F::limit) | ...)) y[i] = F::exact(x[i]...);
  }
}
template <class F, class... V>
double one(V... x) {
  double y;
  apply_to_arrays<F, 1>(&y, &x...);
  return y;
}

}  // namespace mt::cpu::vec

#if MT_HAS_VECTOR_CALLS
// The names follow the vector ABI: _ZGV, then b (SSE), d (AVX2) or e (AVX-512), N (no mask), the number of lanes, and a v per argument. A
// single number is computed as a vector; processors before AVX2 call `plain`, since fused multiply-adds would be done in software.
typedef double double2 __attribute__((vector_size(16)));
typedef double double4 __attribute__((vector_size(32)));
typedef double double8 __attribute__((vector_size(64)));
namespace {
bool has_fused() {
  static const bool has = mt::cpu::cpu_capability() >= mt::cpu::Capability::avx2;
  return has;
}
MT_TARGET_AVX2 inline double first_lane_of(double4 (*f)(double4), double x) { return f(double4{x, x, x, x})[0]; }
MT_TARGET_AVX2 inline double first_lane_of(double4 (*f)(double4, double4), double x, double y) {
  return f(double4{x, x, x, x}, double4{y, y, y, y})[0];
}
MT_TARGET_AVX512 inline double8 call_twice(double4 (*f)(double4), double8 x) {
  const double4 low = f(__builtin_shufflevector(x, x, 0, 1, 2, 3)), high = f(__builtin_shufflevector(x, x, 4, 5, 6, 7));
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
}  // namespace
#define MT_VECTOR(target, lanes, name, function)                                                                                      \
  extern "C" target [[gnu::flatten, gnu::visibility("hidden")]] double##lanes name(double##lanes x) {                                 \
    double##lanes y;                                                                                                                  \
    mt::cpu::vec::apply_to_arrays<mt::cpu::vec::function, lanes>(reinterpret_cast<double*>(&y), reinterpret_cast<const double*>(&x)); \
    return y;                                                                                                                         \
  }
#define MT_VECTORS(name, plain)                                                                                \
  MT_VECTOR(MT_TARGET_AVX2, 4, _ZGVdN4v_mt_vec_##name, function_##name)                                        \
  MT_VECTOR(MT_TARGET_AVX512, 8, _ZGVeN8v_mt_vec_##name, function_##name)                                      \
  double mt_vec_##name(double x) { return has_fused() ? first_lane_of(_ZGVdN4v_mt_vec_##name, x) : plain(x); } \
  extern "C" [[gnu::visibility("hidden")]] double2 _ZGVbN2v_mt_vec_##name(double2 x) {                         \
    return double2{mt_vec_##name(x[0]), mt_vec_##name(x[1])};                                                  \
  }
// For rarely called functions: eight lanes are two calls with four.
#define MT_NARROW_VECTORS(name, plain)                                                                         \
  MT_VECTOR(MT_TARGET_AVX2, 4, _ZGVdN4v_mt_vec_##name, function_##name)                                        \
  extern "C" MT_TARGET_AVX512 [[gnu::visibility("hidden")]] double8 _ZGVeN8v_mt_vec_##name(double8 x) {        \
    return call_twice(_ZGVdN4v_mt_vec_##name, x);                                                              \
  }                                                                                                            \
  double mt_vec_##name(double x) { return has_fused() ? first_lane_of(_ZGVdN4v_mt_vec_##name, x) : plain(x); } \
  extern "C" [[gnu::visibility("hidden")]] double2 _ZGVbN2v_mt_vec_##name(double2 x) {                         \
    return double2{mt_vec_##name(x[0]), mt_vec_##name(x[1])};                                                  \
  }
#define MT_BINARY_VECTOR(target, lanes, name, function)                                                                                   \
  extern "C" target [[gnu::flatten, gnu::visibility("hidden")]] double##lanes name(double##lanes x, double##lanes y) {                    \
    double##lanes result;                                                                                                                 \
    mt::cpu::vec::apply_to_arrays<mt::cpu::vec::function, lanes>(reinterpret_cast<double*>(&result), reinterpret_cast<const double*>(&x), \
                                                                 reinterpret_cast<const double*>(&y));                                    \
    return result;                                                                                                                        \
  }
#define MT_BINARY_VECTORS(name, plain)                                                                                          \
  MT_BINARY_VECTOR(MT_TARGET_AVX2, 4, _ZGVdN4vv_mt_vec_##name, function_##name)                                                 \
  MT_BINARY_VECTOR(MT_TARGET_AVX512, 8, _ZGVeN8vv_mt_vec_##name, function_##name)                                               \
  double mt_vec_##name(double x, double y) { return has_fused() ? first_lane_of(_ZGVdN4vv_mt_vec_##name, x, y) : plain(x, y); } \
  extern "C" [[gnu::visibility("hidden")]] double2 _ZGVbN2vv_mt_vec_##name(double2 x, double2 y) {                              \
    return double2{mt_vec_##name(x[0], y[0]), mt_vec_##name(x[1], y[1])};                                                       \
  }
#else
#define MT_VECTORS(name, plain) \
  double mt_vec_##name(double x) { return mt::cpu::vec::one<mt::cpu::vec::function_##name>(x); }
#define MT_NARROW_VECTORS(name, plain) MT_VECTORS(name, plain)
#define MT_BINARY_VECTORS(name, plain) \
  double mt_vec_##name(double x, double y) { return mt::cpu::vec::one<mt::cpu::vec::function_##name>(x, y); }
#endif
