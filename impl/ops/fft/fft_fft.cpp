// fft_fft: the transform along one dimension.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = "The transform along one dimension.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm) -> Tensor {
      return is_complex(self.dtype()) ? fft_c2c("fft", self, n, dim, norm, true) : fft_r2c("fft", self, n, dim, norm, true, false);
    },
});
// Its own entry: the refusal of an unfit result comes before the transform.
MT_OP(OpDef{
    .schema = {"fft_fft.out(Tensor self, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "The transform along one dimension.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm, const Tensor& out) -> Tensor {
      return is_complex(self.dtype()) ? fft_c2c("fft", self, n, dim, norm, true, out)
                                      : fft_r2c("fft", self, n, dim, norm, true, false, out);
    },
});

}  // namespace
}  // namespace mt
