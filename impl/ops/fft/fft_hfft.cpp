// fft_hfft: the transform of half a Hermitian sequence, to real numbers.
#include "rules/fft/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the transform of a Hermitian sequence, given by its first half, to real numbers.

The sequence is x[-j] = conj(x[j]), as a signal with a real spectrum has it; n // 2 + 1 of its
elements suffice. The imaginary part of x[0] counts as 0. An odd size of the result has to be
asked for with `n`.

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
    >>> torch.fft.hfft(torch.tensor([1.0, 2.0, 3.0]))
    tensor([ 8., -2.,  0., -2.])
    >>> torch.fft.hfft(torch.fft.ihfft(torch.tensor([1.0, 2.0, 3.0])), n=3)
    tensor([1., 2., 3.]))",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm) -> Tensor {
      return fft_c2r("hfft", self, n, dim, norm, true);
    },
});
// The out form has a definition of its own, which refuses an unsuitable `out` before the transform.
MT_OP(OpDef{
    .schema = {"fft_hfft.out(Tensor self, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the transform of half a Hermitian sequence to real numbers into `out`.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_c2r("hfft", self, n, dim, norm, true, out);
    },
});

}  // namespace
}  // namespace mt
