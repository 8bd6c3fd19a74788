// fft_hfft: the transform of half a Hermitian sequence, to real numbers.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = "The transform of half a Hermitian sequence, to real numbers.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm) -> Tensor {
      return fft_c2r("hfft", self, n, dim, norm, true);
    },
});
// Its own entry: the refusal of an unfit result comes before the transform.
MT_OP(OpDef{
    .schema = {"fft_hfft.out(Tensor self, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "The transform of half a Hermitian sequence, to real numbers.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_c2r("hfft", self, n, dim, norm, true, out);
    },
});

}  // namespace
}  // namespace mt
