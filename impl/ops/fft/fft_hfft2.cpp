// fft_hfft2: the transform of half a Hermitian sequence along two dimensions, to real numbers.
#include "rules/fft/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_hfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the transform of a Hermitian sequence along two dimensions to real numbers.

The sequence is Hermitian along both dimensions together; of the last one a half is given. See
`torch.fft.hfft`.

Args:
    self (Tensor): the half, complex; real input counts as complex; not half precision.
    s (tuple of ints, optional): the sizes of the result along `dim`. Default: those of `self`,
        ``2 * (m - 1)`` for the last.
    dim (tuple of ints): the dimensions to transform; the last one is the halved. Default: ``(-2,
        -1)``.
    norm (str, optional): which direction has the factor 1 / n, n being the number of elements of
        a transform: ``"backward"`` (None) the inverse, ``"forward"`` the forward one;
        ``"ortho"`` gives both 1 / sqrt(n). Default: ``None``.

Returns:
    Tensor: the shape of `self` with `s` along `dim`; real.

Raises:
    RuntimeError: when a size is below 1, dimensions repeat, `norm` is unknown or the dtype does
        not fit.

Example:
    >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> torch.fft.hfft2(torch.fft.ihfft2(x), s=(2, 2))
    tensor([[1., 2.],
            [3., 4.]]))",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, IntList dim, FftNormName norm) -> Tensor { return fft_n_hfft(self, s, dim, norm); },
});
// The out form has a definition of its own, which refuses an unsuitable `out` before the transform.
MT_OP(OpDef{
    .schema = {"fft_hfft2.out(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the transform of a Hermitian sequence along two dimensions to real numbers into `out`.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, IntList dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_n_hfft(self, s, dim, norm, out);
    },
});

}  // namespace
}  // namespace mt
