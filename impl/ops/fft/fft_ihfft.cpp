// fft_ihfft: the inverse of hfft.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = "The inverse of hfft.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm) -> Tensor {
      return fft_r2c("ihfft", self, n, dim, norm, false, true);
    },
});
// Its own entry: the refusal of an unfit result comes before the transform.
MT_OP(OpDef{
    .schema = {"fft_ihfft.out(Tensor self, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "The inverse of hfft.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_r2c("ihfft", self, n, dim, norm, false, true, out);
    },
});

}  // namespace
}  // namespace mt
