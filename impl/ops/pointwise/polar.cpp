// polar: complex numbers from their absolute values and angles.
#include "rules/form/algebra.h"
#include "rules/pointwise/complex_pairs.h"
#include "rules/pointwise/large_angles.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Combines pairs tile by tile, since the functions vectorise only on separate components.
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

MT_OP(OpDef{
    .schema = {"polar(Tensor abs, Tensor angle) -> Tensor"},
    .forms = function,
    .doc = R"(Makes complex numbers from absolute values and angles: abs * cos(angle) + i * abs * sin(angle).

The tensors broadcast, and have the same dtype. A negative `abs` is not refused and means the
opposite direction.

Args:
    abs (Tensor): absolute values; float32 or float64.
    angle (Tensor): angles in radians, of the same dtype.

Returns:
    Tensor: the broadcast shape; complex64 or complex128.

Raises:
    RuntimeError: when the dtypes differ.

Example:
    >>> torch.polar(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 1.0]))
    tensor([1.0000+0.0000j, 1.0806+1.6829j]))",
    .rule = structured(shape_of_pairs),
    .cpu =
        [](const Tensor& a, const Tensor& b, Tensor& out) {
          if (!a.device().is_cpu()) {
            BelowAutograd guard;
            return copy_into(out, op<"complex">(a * op<"cos">(b), a * op<"sin">(b)));
          }
          static const PointwiseKernel kernel = complex_kernel<FromPolar>("polar_cpu",
                                                                          Dtypes(dtype_bit(Dtype::float32) | dtype_bit(Dtype::float64)));
          run_complex_kernel(kernel, a, b, out);
        },
    .npu = {any_device},
    .grad = {wrt("abs", [](Grad g, Out<"result"> y) { return op<"real">(conj(g) * op<"sgn">(y)); }),
             wrt("angle", [](Grad g, Out<"result"> y) { return op<"real">(conj(g) * (y * Scalar(Complex<double>(0, 1)))); })},
    .batch = batch_aligned,
});
MT_OP(OpDef{
    .schema = {"polar.out(Tensor abs, Tensor angle, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes complex numbers with the given absolute values and angles into `out`.",
    .rule = rule_after_check(refuse_out_elsewhere),
    .cpu = stored_pairs<"polar">,
    .npu = {any_device},
    .meta = stored_pairs<"polar">,
});

}  // namespace
}  // namespace mt
