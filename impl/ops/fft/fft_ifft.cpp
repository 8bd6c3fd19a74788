// fft_ifft: the backward transform along one dimension.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = "The backward transform along one dimension.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm) -> Tensor {
      return is_complex(self.dtype()) ? fft_c2c("ifft", self, n, dim, norm, false) : fft_r2c("ifft", self, n, dim, norm, false, false);
    },
});
// Its own entry: the refusal of an unfit result comes before the transform.
MT_OP(OpDef{
    .schema = {"fft_ifft.out(Tensor self, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "The backward transform along one dimension.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm, const Tensor& out) -> Tensor {
      return is_complex(self.dtype()) ? fft_c2c("ifft", self, n, dim, norm, false, out)
                                      : fft_r2c("ifft", self, n, dim, norm, false, false, out);
    },
});

}  // namespace
}  // namespace mt
