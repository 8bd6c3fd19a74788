// fft_fft2: the transform along two dimensions.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor"},
    .forms = function,
    .doc = "The transform along two dimensions.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, IntList dim, FftNormName norm) -> Tensor {
      return fft_n_c2c(self, s, dim, norm, true);
    },
});
// Its own entry: the refusal of an unfit result comes before the transform.
MT_OP(OpDef{
    .schema = {"fft_fft2.out(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "The transform along two dimensions.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, IntList dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_n_c2c(self, s, dim, norm, true, out);
    },
});

}  // namespace
}  // namespace mt
