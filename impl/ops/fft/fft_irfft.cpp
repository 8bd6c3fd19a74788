// fft_irfft: the inverse of rfft.
#include "rules/fft/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the inverse of `torch.fft.rfft`: real numbers from half of their transform.

The other half is taken as the conjugate of the given one; the imaginary part of the first
element, and of the last for an even n, counts as 0. An odd size of the result has to be asked
for with `n`.

Args:
    self (Tensor): the half, complex; real input counts as complex; not half precision.
    n (int, optional): the size of the result. Default: ``2 * (m - 1)``, where m is the size
        along `dim`.
    dim (int): the dimension to transform. Default: ``-1``.
    norm (str, optional): which direction has the factor 1 / n, n being the number of elements of
        a transform: ``"backward"`` (None) the inverse, ``"forward"`` the forward one;
        ``"ortho"`` gives both 1 / sqrt(n). Default: ``None``.

Returns:
    Tensor: the shape of `self` with `n` along `dim`; real.

Raises:
    RuntimeError: when a size is below 1, dimensions repeat, `norm` is unknown or the dtype does
        not fit.

Example:
    >>> torch.fft.irfft(torch.fft.rfft(torch.tensor([1.0, 2.0, 3.0, 4.0])))
    tensor([1., 2., 3., 4.])
    >>> torch.fft.irfft(torch.fft.rfft(torch.tensor([1.0, 2.0, 3.0])), n=3)
    tensor([1., 2., 3.]))",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm) -> Tensor {
      return fft_c2r("irfft", self, n, dim, norm, false);
    },
});
// The out form has a definition of its own, which refuses an unsuitable `out` before the transform.
MT_OP(OpDef{
    .schema = {"fft_irfft.out(Tensor self, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the inverse of rfft into `out`.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_c2r("irfft", self, n, dim, norm, false, out);
    },
});

}  // namespace
}  // namespace mt
