// fft_hfftn: the transform of half a Hermitian sequence along several dimensions, to real numbers.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_hfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = "The transform of half a Hermitian sequence along several dimensions, to real numbers.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm) -> Tensor {
      return fft_n_hfft(self, s, dim, norm);
    },
});
// Its own entry: the refusal of an unfit result comes before the transform.
MT_OP(OpDef{
    .schema = {"fft_hfftn.out(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "The transform of half a Hermitian sequence along several dimensions, to real numbers.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_n_hfft(self, s, dim, norm, out);
    },
});

}  // namespace
}  // namespace mt
