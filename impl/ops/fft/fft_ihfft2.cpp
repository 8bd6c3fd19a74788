// fft_ihfft2: the inverse of hfft2.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_ihfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor"},
    .forms = function,
    .doc = "The inverse of hfft2.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, IntList dim, FftNormName norm) -> Tensor {
      return fft_n_ihfft(self, s, dim, norm);
    },
});
// Its own entry: the refusal of an unfit result comes before the transform.
MT_OP(OpDef{
    .schema = {"fft_ihfft2.out(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "The inverse of hfft2.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, IntList dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_n_ihfft(self, s, dim, norm, out);
    },
});

}  // namespace
}  // namespace mt
