// fft_rfftn: the transform of real numbers along several dimensions; returns the half that determines the rest.
#include "rules/fft/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the discrete Fourier transform of real numbers along several dimensions.

The last dimension has the first half only, which implies the other.

Args:
    self (Tensor): real, integer or bool, not half; integers are converted to the default float
        dtype.
    s (tuple of ints, optional): the sizes to transform, for each of `dim`, or the last
        dimensions where `dim` is not given; each is cut or filled with zeros to it, -1 keeps it.
        Default: their sizes.
    dim (tuple of ints, optional): the dimensions to transform; the last one is halved. Default:
        all, or the last ones that `s` names.
    norm (str, optional): which direction has the factor 1 / n, n being the number of elements of
        a transform: ``"backward"`` (None) the inverse, ``"forward"`` the forward one;
        ``"ortho"`` gives both 1 / sqrt(n). Default: ``None``.

Returns:
    Tensor: the shape of `self` with `s` along `dim`, ``s // 2 + 1`` along the last; complex.

Raises:
    RuntimeError: when a size is below 1, dimensions repeat, `norm` is unknown or the dtype does
        not fit.

Example:
    >>> torch.fft.rfftn(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[10.+0.j, -2.+0.j],
            [-4.+0.j,  0.+0.j]]))",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm) -> Tensor { return fft_n_rfft(self, s, dim, norm); },
});
// The out form has a definition of its own, which refuses an unsuitable `out` before the transform.
MT_OP(OpDef{
    .schema = {"fft_rfftn.out(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes half of the transform of real numbers along several dimensions into `out`.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes s, FftSizes dim, FftNormName norm, const Tensor& out) -> Tensor {
      return fft_n_rfft(self, s, dim, norm, out);
    },
});

}  // namespace
}  // namespace mt
