// fft_fftn: the transform along several dimensions.
#include "rules/fft/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the discrete Fourier transform along several dimensions.

It is `torch.fft.fft` along each of them.

Args:
    self (Tensor): complex, real, integer or bool, not half; integers are converted to the
        default float dtype.
    s (tuple of ints, optional): the sizes to transform, for each of `dim`, or the last
        dimensions where `dim` is not given; each is cut or filled with zeros to it, -1 keeps it.
        Default: their sizes.
    dim (tuple of ints, optional): the dimensions to transform. Default: all, or the last ones
        that `s` names.
    norm (str, optional): which direction has the factor 1 / n, n being the number of elements of
        a transform: ``"backward"`` (None) the inverse, ``"forward"`` the forward one;
        ``"ortho"`` gives both 1 / sqrt(n). Default: ``None``.

Returns:
    Tensor: the shape of `self` with `s` along `dim`; complex.

Raises:
    RuntimeError: when a size is below 1, dimensions repeat, `norm` is unknown or the dtype does
        not fit.

Example:
    >>> torch.fft.fftn(torch.ones(2, 2, 2)).real.sum()
    tensor(8.)
    >>> torch.fft.fftn(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=(0,))
    tensor([[ 4.+0.j,  6.+0.j],
            [-2.+0.j, -2.+0.j]]))",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm) -> Tensor {
      return fft_n_c2c(self, s, dim, norm, true);
    },
});
// The out form has a definition of its own, which refuses an unsuitable `out` before the transform.
MT_OP(OpDef{
    .schema = {"fft_fftn.out(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the discrete Fourier transform along several dimensions into `out`.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_n_c2c(self, s, dim, norm, true, out);
    },
});

}  // namespace
}  // namespace mt
