// _fft_c2c: the transform of complex numbers along some dimensions, forward or backward.
#include "core/messages.h"
#include "rules/fft/fft.h"

namespace mt {
namespace {

constexpr auto infer_fft_c2c_shape = [](Specs& out, const Tensor& self, IntList dim, int64_t, bool) {
  check(is_complex(self.dtype()), messages::only_supports_complex_dtypes, self.dtype());
  check(self.dtype() != Dtype::complex32, messages::fft_dtype_unsupported, Dtype::float16);
  for (int64_t d : dim) check(d >= 0 && d < self.dim(), ErrorKind::index, messages::dimension_out_of_range_from_zero, self.dim() - 1, d);
  // Without dimensions the result is a clone, which keeps a dense layout.
  if (dim.empty() && self.is_non_overlapping_and_dense())
    out.add_strided(self.sizes(), self.strides(), self.dtype());
  else
    out.add_strided(self.sizes(), fft_result_strides(self.sizes(), self.strides(), fft_order(self.strides(), dim)), self.dtype());
};
constexpr auto compute_fft_c2c = [](const Tensor& self, IntList dim, int64_t norm, bool forward, Tensor& out) {
  if (dim.empty()) return copy_into(out, self);
  // Transforms the innermost dimension first: this pass reads the input, the others run in place on the result.
  const Dims order = fft_order(self.strides(), dim);
  double scale = fft_scale(norm, self.sizes(), dim);
  for (int64_t i = order.size() - 1; i >= 0; --i) {
    const bool first = i == order.size() - 1;
    fft_along(FftKind::complex, first ? self : out, out, order[i], self.size(order[i]), forward, scale);
    scale = 1;
  }
};

MT_OP(OpDef{
    .schema = {"_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the transform of complex numbers along `dim`, forward or backward.

All complex transforms of torch.fft use it.)",
    .rule = structured(infer_fft_c2c_shape),
    .cpu = compute_fft_c2c,
    .grad = {wrt("self", [](Grad g, In<"dim", IntList> dim, In<"normalization", int64_t> norm,
                            In<"forward", bool> forward) { return op<"_fft_c2c">(g, *dim, *norm, !*forward); })},
    .grad_name = "FftC2CBackward0",
    .out_policy = OutPolicy{},  // a resized out= becomes contiguous
});

}  // namespace
}  // namespace mt
