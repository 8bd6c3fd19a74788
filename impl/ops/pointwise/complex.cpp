// complex, polar: complex numbers from two tensors of real ones.
#include "cpu/clones.h"
#include "rules/algebra.h"
#include "rules/checked.h"
#include "rules/large_angles.h"
#include "rules/one_device.h"
#include "rules/scalar_math.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto from_parts = [](auto re, auto im) { return Complex(re, im); };
// Pairs of float16 as their bits.
constexpr auto from_half_parts = [](uint16_t re, uint16_t im) { return uint32_t(re) | uint32_t(im) << 16; };

// Loops whose results are complex where the compute dtype is real: pairs are put together tile by tile, since the functions vectorise only
// where the parts lie apart.
template <class T>
struct FromParts {
  static void run(void* out, const void* const* in, int64_t n) { detail::pointwise_body<from_parts, T, Complex<T>, 0, 1>(out, in, n); }
};
template <class T>
struct FromPolar {
  static constexpr int64_t tile = 256;
  static void run(void* out, const void* const* in, int64_t n) {
    const T *size = static_cast<const T*>(in[0]), *angle = static_cast<const T*>(in[1]);
    T re[tile], im[tile];
    for (int64_t begin = 0; begin < n; begin += tile) {
      const int64_t count = std::min(tile, n - begin);
      for (int64_t k = 0; k < count; ++k) {
        re[k] = size[begin + k] * cos_(angle[begin + k]);
        im[k] = size[begin + k] * sin_(angle[begin + k]);
      }
      if constexpr (std::is_same_v<T, float>)
        for_large_angles(angle + begin, count, [&](int64_t k) {
          const double a = angle[begin + k];
          re[k] = size[begin + k] * float(std::cos(a)), im[k] = size[begin + k] * float(std::sin(a));
        });
      const void* const parts[] = {re, im};
      FromParts<T>::run(static_cast<Complex<T>*>(out) + begin, parts, count);
    }
  }
};
template <class F, class T>
void add_complex_loops(PointwiseKernel& k) {
  using namespace cpu::detail;
  PointwiseLoop* const loops = k.loops[slot_of(dtype_of<T>)];
  loops[0] = run_baseline<F, void*, const void* const*, int64_t>;
  loops[1] = run_avx2<F, void*, const void* const*, int64_t>;
  loops[2] = run_avx512<F, void*, const void* const*, int64_t>;
  k.results[slot_of(dtype_of<T>)] = dtype_of<Complex<T>>;
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

// From the bits of float16, of which a pair is one word.
const PointwiseKernel& half_kernel() {
  static const PointwiseKernel kernel = [] {
    PointwiseKernel k{};
    k.name = "complex_cpu", k.inputs = 2, k.dtypes = dtypes::barebones_unsigned;
    PointwiseLoop* const loops = k.loops[slot_of(Dtype::uint16)];
    loops[0] = detail::pointwise_baseline<from_half_parts, uint16_t, uint32_t, 0, 1>;
    loops[1] = loops[2] = detail::pointwise_avx2<from_half_parts, uint16_t, uint32_t, 0, 1>;
    k.results[slot_of(Dtype::uint16)] = Dtype::uint32;
    return k;
  }();
  return kernel;
}
void run_halves(const Tensor& a, const Tensor& b, const Tensor& out) {
  BelowAutograd guard;
  auto bits = [](const Tensor& t, Dtype dtype) { return op<"view.dtype">(t, dtype); };
  const Tensor inputs[] = {bits(a, Dtype::uint16), bits(b, Dtype::uint16)};
  run_pointwise(half_kernel(), Dtype::uint16, bits(out, Dtype::uint32), inputs, 2);
}

constexpr auto shape = [](Specs& out, const Tensor& a, const Tensor& b) {
  auto fits = [](const Tensor& t) { return t.dtype() == Dtype::float32 || t.dtype() == Dtype::float64 || t.dtype() == Dtype::float16; };
  check(fits(a) && fits(b), "Expected both inputs to be Half, Float or Double tensors but got {} and {}", a.dtype(), b.dtype());
  check(a.dtype() == b.dtype(), "Expected object of scalar type {} but got scalar type {} for second argument", a.dtype(), b.dtype());
  check_one_device(a, b);
  const Tensor inputs[] = {a, b};
  Dims sizes, strides;
  pointwise_geometry(inputs, 2, sizes, strides);
  if (strides.empty())
    out.add(sizes, complex_of(a.dtype()));
  else
    out.add_strided(sizes, strides, complex_of(a.dtype()));
  out.items[0].device = is_cpu_number(a) ? b.device() : a.device();
};
void run(const PointwiseKernel& kernel, const Tensor& a, const Tensor& b, const Tensor& out) {
  const Tensor inputs[] = {a, b};
  run_pointwise(kernel, a.dtype(), out, inputs, 2);
}
// out= takes the exact dtype only.
template <Name name>
constexpr auto stored = [](const Tensor& a, const Tensor& b, const Tensor& out) {
  BelowAutograd guard;
  const Tensor made = op<name>(a, b);
  const Dtype dtype = complex_of(a.dtype());
  check(out.dtype() == dtype, "Expected object of scalar type {} but got scalar type {} for argument 'out'", dtype, out.dtype());
  resize_output(out, made.sizes());
  store_made(out, made);
};

MT_OP(OpDef{
    .schema = {"complex(Tensor real, Tensor imag) -> Tensor"},
    .forms = function,
    .doc = "Complex numbers with the given real and imaginary parts.",
    .rule = structured(shape),
    .cpu = [](const Tensor& a, const Tensor& b, Tensor& out) {
      if (a.dtype() == Dtype::float16) return run_halves(a, b, out);
      static const PointwiseKernel kernel = complex_kernel<FromParts>("complex_cpu", dtypes::floating);
      run(kernel, a, b, out);
    },
    .npu = {"Complex"},
    .grad = {wrt("real", [](Grad g) { return op<"real">(g); }), wrt("imag", [](Grad g) { return op<"imag">(g); })},
});
MT_OP(OpDef{
    .schema = {"polar(Tensor abs, Tensor angle) -> Tensor"},
    .forms = function,
    .doc = "Complex numbers with the given absolute values and angles.",
    .rule = structured(shape),
    .cpu = [](const Tensor& a, const Tensor& b, Tensor& out) {
      if (!a.device().is_cpu()) {
        BelowAutograd guard;
        return copy_into(out, op<"complex">(a * op<"cos">(b), a * op<"sin">(b)));
      }
      static const PointwiseKernel kernel =
          complex_kernel<FromPolar>("polar_cpu", Dtypes(dtype_bit(Dtype::float32) | dtype_bit(Dtype::float64)));
      run(kernel, a, b, out);
    },
    .npu = {any_device},
    .grad = {wrt("abs", [](Grad g, Out<"result"> y) { return op<"real">(conj(g) * op<"sgn">(y)); }),
             wrt("angle", [](Grad g, Out<"result"> y) { return op<"real">(conj(g) * (y * Scalar(Complex<double>(0, 1)))); })},
});

MT_OP(OpDef{
    .schema = {"complex.out(Tensor real, Tensor imag, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Complex numbers with the given real and imaginary parts.",
    .rule = after(refuse_out_elsewhere),
    .cpu = stored<"complex">,
    .npu = {any_device},
    .meta = stored<"complex">,
});
MT_OP(OpDef{
    .schema = {"polar.out(Tensor abs, Tensor angle, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Complex numbers with the given absolute values and angles.",
    .rule = after(refuse_out_elsewhere),
    .cpu = stored<"polar">,
    .npu = {any_device},
    .meta = stored<"polar">,
});

MT_BATCH("complex", batch_aligned);
MT_BATCH("polar", batch_aligned);

}  // namespace
}  // namespace mt
