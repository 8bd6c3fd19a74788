// complex and polar: complex numbers from two real tensors.
#pragma once

#include "cpu/clones.h"
#include "rules/form/checked.h"
#include "rules/form/one_device.h"
#include "rules/pointwise/pointwise_layout.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {

inline constexpr auto from_parts = [](auto re, auto im) { return Complex(re, im); };

// Loops with complex results and a real compute dtype.
template <class T>
struct FromParts {
  static void run(void* out, const void* const* in, int64_t n) { detail::pointwise_body<from_parts, T, Complex<T>, 0, 1>(out, in, n); }
};
template <class F, class T>
void add_complex_loops(PointwiseKernel& k) {
  using namespace cpu::detail;
  PointwiseLoop* const loops = k.loops[loop_slot_of(dtype_of<T>)];
  loops[0] = run_baseline<F, void*, const void* const*, int64_t>;
  loops[1] = run_avx2<F, void*, const void* const*, int64_t>;
  loops[2] = run_avx512<F, void*, const void* const*, int64_t>;
  k.results[loop_slot_of(dtype_of<T>)] = dtype_of<Complex<T>>;
}
template <template <class> class F>
PointwiseKernel complex_kernel(const char* name, Dtypes dtypes) {
  PointwiseKernel k{};
  k.name = name;
  k.inputs = 2;
  k.dtypes = dtypes;
  add_complex_loops<F<float>, float>(k);
  add_complex_loops<F<double>, double>(k);
  return k;
}

inline constexpr auto shape_of_pairs = [](Specs& out, const Tensor& a, const Tensor& b) {
  auto fits = [](const Tensor& t) { return t.dtype() == Dtype::float32 || t.dtype() == Dtype::float64 || t.dtype() == Dtype::float16; };
  check(fits(a) && fits(b), "Expected both inputs to be Half, Float or Double tensors but got {} and {}", a.dtype(), b.dtype());
  check(a.dtype() == b.dtype(), "Expected object of scalar type {} but got scalar type {} for second argument", a.dtype(), b.dtype());
  check_one_device(a, b);
  const Tensor inputs[] = {a, b};
  add_result_of(out, inputs, 2, complex_of(a.dtype()));
  out.items[0].device = is_cpu_number(a) ? b.device() : a.device();
};
inline void run_complex_kernel(const PointwiseKernel& kernel, const Tensor& a, const Tensor& b, const Tensor& out) {
  const Tensor inputs[] = {a, b};
  run_pointwise(kernel, a.dtype(), out, inputs, 2);
}
// out= must have exactly the result's dtype.
template <Name name>
constexpr auto stored_pairs = [](const Tensor& a, const Tensor& b, const Tensor& out) {
  BelowAutograd guard;
  const Tensor made = op<name>(a, b);
  const Dtype dtype = complex_of(a.dtype());
  check(out.dtype() == dtype, "Expected object of scalar type {} but got scalar type {} for argument 'out'", dtype, out.dtype());
  resize_output(out, made.sizes());
  store_result(out, made);
};

}  // namespace mt
