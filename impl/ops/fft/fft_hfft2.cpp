// fft_hfft2: the transform of half a Hermitian sequence along two dimensions, to real numbers.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_hfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor"},
    .forms = function,
    .doc = "The transform of half a Hermitian sequence along two dimensions, to real numbers.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, IntList dim, FftNormName norm) -> Tensor {
      return fft_n_hfft(self, s, dim, norm);
    },
});
// Its own entry: the refusal of an unfit result comes before the transform.
MT_OP(OpDef{
    .schema = {"fft_hfft2.out(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "The transform of half a Hermitian sequence along two dimensions, to real numbers.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, IntList dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_n_hfft(self, s, dim, norm, out);
    },
});

}  // namespace
}  // namespace mt
