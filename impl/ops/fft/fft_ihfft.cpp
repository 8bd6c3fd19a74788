// fft_ihfft: the inverse of hfft.
#include "rules/fft/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes half of the inverse transform of real numbers along one dimension.

The half implies the other. It is the inverse of `torch.fft.hfft`: the first n // 2 + 1 elements
of `torch.fft.ifft`.

Args:
    self (Tensor): real, integer or bool, not half; integers are converted to the default float
        dtype.
    n (int, optional): how many elements to transform; the dimension is cut or filled with zeros
        to it. Default: its size.
    dim (int): the dimension to transform. Default: ``-1``.
    norm (str, optional): which direction has the factor 1 / n, n being the number of elements of
        a transform: ``"backward"`` (None) the inverse, ``"forward"`` the forward one;
        ``"ortho"`` gives both 1 / sqrt(n). Default: ``None``.

Returns:
    Tensor: the shape of `self` with ``n // 2 + 1`` along `dim`; complex.

Raises:
    RuntimeError: when a size is below 1, dimensions repeat, `norm` is unknown or the dtype does
        not fit.

Example:
    >>> torch.fft.ihfft(torch.tensor([4.0, 0.0, 0.0, 0.0])).real
    tensor([1., 1., 1.]))",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm) -> Tensor {
      return fft_r2c("ihfft", self, n, dim, norm, false, true);
    },
});
// The out form has a definition of its own, which refuses an unsuitable `out` before the transform.
MT_OP(OpDef{
    .schema = {"fft_ihfft.out(Tensor self, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes half of the inverse transform of real numbers into `out`.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_r2c("ihfft", self, n, dim, norm, false, true, out);
    },
});

}  // namespace
}  // namespace mt
