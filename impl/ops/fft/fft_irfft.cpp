// fft_irfft: the inverse of rfft.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = "The inverse of rfft.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm) -> Tensor {
      return fft_c2r("irfft", self, n, dim, norm, false);
    },
});
// Its own entry: the refusal of an unfit result comes before the transform.
MT_OP(OpDef{
    .schema = {"fft_irfft.out(Tensor self, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "The inverse of rfft.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_c2r("irfft", self, n, dim, norm, false, out);
    },
});

}  // namespace
}  // namespace mt
