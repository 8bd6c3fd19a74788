// complex: complex numbers from their real and imaginary parts.
#include "rules/form/algebra.h"
#include "rules/pointwise/complex_pairs.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Pairs of float16 as bits.
constexpr auto pack_half_components = [](uint16_t re, uint16_t im) { return uint32_t(re) | uint32_t(im) << 16; };

// Works on the bits of float16: a pair is one 32-bit word.
const PointwiseKernel& half_kernel() {
  static const PointwiseKernel kernel = [] {
    PointwiseKernel k{};
    k.name = "complex_cpu", k.inputs = 2, k.dtypes = dtypes::barebones_unsigned;
    PointwiseLoop* const loops = k.loops[loop_slot_of(Dtype::uint16)];
    loops[0] = detail::pointwise_baseline<pack_half_components, uint16_t, uint32_t, 0, 1>;
    loops[1] = loops[2] = detail::pointwise_avx2<pack_half_components, uint16_t, uint32_t, 0, 1>;
    k.results[loop_slot_of(Dtype::uint16)] = Dtype::uint32;
    return k;
  }();
  return kernel;
}
void join_half_parts(const Tensor& a, const Tensor& b, const Tensor& out) {
  BelowAutograd guard;
  auto bits = [](const Tensor& t, Dtype dtype) { return op<"view.dtype">(t, dtype); };
  const Tensor inputs[] = {bits(a, Dtype::uint16), bits(b, Dtype::uint16)};
  run_pointwise(half_kernel(), Dtype::uint16, bits(out, Dtype::uint32), inputs, 2);
}

MT_OP(OpDef{
    .schema = {"complex(Tensor real, Tensor imag) -> Tensor"},
    .forms = function,
    .doc = R"(Makes complex numbers from real and imaginary parts.

The parts broadcast, and have the same dtype.

Args:
    real (Tensor): real parts; float16, float32 or float64.
    imag (Tensor): imaginary parts, of the same dtype.

Returns:
    Tensor: the broadcast shape; complex32, complex64 or complex128.

Raises:
    RuntimeError: when the dtypes differ or are not floating.

Example:
    >>> torch.complex(torch.tensor([1.0, 2.0]), torch.tensor([0.0, -1.0]))
    tensor([1.+0.j, 2.-1.j]))",
    .rule = structured(shape_of_pairs),
    .cpu =
        [](const Tensor& a, const Tensor& b, Tensor& out) {
          if (a.dtype() == Dtype::float16) return join_half_parts(a, b, out);
          static const PointwiseKernel kernel = complex_kernel<FromParts>("complex_cpu", dtypes::floating);
          run_complex_kernel(kernel, a, b, out);
        },
    .npu = {"Complex"},
    .grad = {wrt("real", [](Grad g) { return op<"real">(g); }), wrt("imag", [](Grad g) { return op<"imag">(g); })},
    .batch = batch_aligned,
});
MT_OP(OpDef{
    .schema = {"complex.out(Tensor real, Tensor imag, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes complex numbers with the given real and imaginary parts into `out`.",
    .rule = rule_after_check(refuse_out_elsewhere),
    .cpu = stored_pairs<"complex">,
    .npu = {any_device},
    .meta = stored_pairs<"complex">,
});

}  // namespace
}  // namespace mt
