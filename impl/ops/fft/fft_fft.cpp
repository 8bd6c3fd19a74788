// fft_fft: the transform along one dimension.
#include "rules/fft/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the discrete Fourier transform along one dimension.

X[k] = sum over j of x[j] * exp(-2 pi i j k / n). Any n is possible; one whose prime factors are
at most 13 is fastest.

Args:
    self (Tensor): complex, real, integer or bool, not half; integers are converted to the
        default float dtype.
    n (int, optional): how many elements to transform; the dimension is cut or filled with zeros
        to it. Default: its size.
    dim (int): the dimension to transform. Default: ``-1``.
    norm (str, optional): which direction has the factor 1 / n, n being the number of elements of
        a transform: ``"backward"`` (None) the inverse, ``"forward"`` the forward one;
        ``"ortho"`` gives both 1 / sqrt(n). Default: ``None``.

Returns:
    Tensor: the shape of `self` with `n` along `dim`; complex.

Raises:
    RuntimeError: when a size is below 1, dimensions repeat, `norm` is unknown or the dtype does
        not fit.

Example:
    >>> torch.fft.fft(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j]))",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm) -> Tensor {
      return is_complex(self.dtype()) ? fft_c2c("fft", self, n, dim, norm, true) : fft_r2c("fft", self, n, dim, norm, true, false);
    },
});
// The out form has a definition of its own, which refuses an unsuitable `out` before the transform.
MT_OP(OpDef{
    .schema = {"fft_fft.out(Tensor self, SymInt? n=None, int dim=-1, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the discrete Fourier transform along one dimension into `out`.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSize n, int64_t dim, FftNormName norm, const Tensor& out) -> Tensor {
      return is_complex(self.dtype()) ? fft_c2c("fft", self, n, dim, norm, true, out)
                                      : fft_r2c("fft", self, n, dim, norm, true, false, out);
    },
});

}  // namespace
}  // namespace mt
