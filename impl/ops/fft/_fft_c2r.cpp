// _fft_c2r: the backward transform of a Hermitian sequence, given by half of its last dimension, to real numbers.
#include "core/messages.h"
#include "rules/fft/fft.h"

namespace mt {
namespace {

IntList drop_last_dim(IntList dim) { return IntList(dim.data, dim.size() - 1); }

constexpr auto infer_fft_c2r_shape = [](Specs& out, const Tensor& self, IntList dim, int64_t, int64_t last_size) {
  check(is_complex(self.dtype()), messages::only_supports_complex_dtypes, self.dtype());
  check(self.dtype() != Dtype::complex32, messages::fft_dtype_unsupported, Dtype::float16);
  check(!dim.empty(), "_fft_c2r needs at least one dimension");
  for (int64_t d : dim) check(d >= 0 && d < self.dim(), ErrorKind::index, messages::dimension_out_of_range_from_zero, self.dim() - 1, d);
  check(last_size >= 1, messages::invalid_number_of_data_points, last_size);
  const int64_t given = self.size(dim.back());
  check(given == last_size / 2 + 1 || given == last_size, "_fft_c2r: {} points need {} complex numbers, but there are {}", last_size,
        last_size / 2 + 1, given);
  // The strides of the temporary tensor into which the other dimensions are transformed first.
  Dims strides(self.strides()), sizes(self.sizes());
  if (dim.size() > 1) strides = fft_result_strides(sizes, strides, fft_order(self.strides(), drop_last_dim(dim)));
  sizes[dim.back()] = last_size;
  out.add_strided(sizes, fft_result_strides(sizes, strides, IntList{dim.back()}), real_of(self.dtype()));
};
constexpr auto compute_fft_c2r = [](const Tensor& self, IntList dim, int64_t norm, int64_t last_size, Tensor& out) {
  BelowAutograd guard;
  const Tensor x = dim.size() > 1 ? op<"_fft_c2c">(self, drop_last_dim(dim), int64_t(FftNorm::none), false) : self;
  // The last dimension may have last_size / 2 + 1 or last_size elements: the second half is not read.
  fft_along(FftKind::hermitian, x, out, dim.back(), last_size, false, fft_scale(norm, out.sizes(), dim));
};

// Weights for the n elements of dimension `last`: 1, then 2 for each of `doubled` elements, then 1.
Tensor half_spectrum_weights(const Tensor& like, int64_t last, int64_t n, int64_t doubled) {
  BelowAutograd guard;
  const Tensor weights = op<"ones">(IntList{n}, real_of(like.dtype()), nullptr, like.device());
  op<"fill_.Scalar">(op<"narrow">(weights, 0, 1, doubled), 2);
  Dims sizes(like.dim(), 1);
  sizes[last] = n;
  return op<"view">(weights, IntList(sizes));
}

MT_OP(OpDef{
    .schema = {"_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the backward transform of half a Hermitian sequence along `dim` to real numbers.

Its last dimension has `last_dim_size` of them. torch.fft.irfft and torch.fft.hfft use it.)",
    .rule = structured(infer_fft_c2r_shape),
    .cpu = compute_fft_c2r,
    .grad = {wrt("self",
                 [](Grad g, In<"dim", IntList> dim, In<"normalization", int64_t> norm) {
                   // An element that also stands for its mirrored conjugate counts twice.
                   const Tensor half = op<"_fft_r2c">(g, *dim, *norm, true);
                   const int64_t last = (*dim).back(), n = half.size(last), doubled = g.size(last) - n;
                   if (doubled <= 0) return half;
                   return half * half_spectrum_weights(half, last, n, doubled);
                 })},
    .grad_name = "FftC2RBackward0",
    .out_policy = OutPolicy{},  // a resized out= becomes contiguous
});

}  // namespace
}  // namespace mt
