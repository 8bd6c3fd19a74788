// fft_irfftn: the inverse of rfftn.
#include "rules/fft/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the inverse of `torch.fft.rfftn`: real numbers from half of their transform.

See `torch.fft.irfft` for what the half implies.

Args:
    self (Tensor): the half, complex; real input counts as complex; not half precision.
    s (tuple of ints, optional): the sizes of the result along `dim`. Default: those of `self`,
        ``2 * (m - 1)`` for the last.
    dim (tuple of ints, optional): the dimensions to transform; the last one is the halved.
        Default: all, or the last ones that `s` names.
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
    >>> torch.fft.irfftn(torch.fft.rfftn(x), s=(2, 2))
    tensor([[1., 2.],
            [3., 4.]]))",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm) -> Tensor { return fft_n_irfft(self, s, dim, norm); },
});
// The out form has a definition of its own, which refuses an unsuitable `out` before the transform.
MT_OP(OpDef{
    .schema = {"fft_irfftn.out(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the inverse of rfftn into `out`.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_n_irfft(self, s, dim, norm, out);
    },
});

}  // namespace
}  // namespace mt
