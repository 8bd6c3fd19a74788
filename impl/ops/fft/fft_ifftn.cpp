// fft_ifftn: the backward transform along several dimensions.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = "The backward transform along several dimensions.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm) -> Tensor {
      return fft_n_c2c(self, s, dim, norm, false);
    },
});
// Its own entry: the refusal of an unfit result comes before the transform.
MT_OP(OpDef{
    .schema = {"fft_ifftn.out(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "The backward transform along several dimensions.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_n_c2c(self, s, dim, norm, false, out);
    },
});

}  // namespace
}  // namespace mt
