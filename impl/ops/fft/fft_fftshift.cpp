// fft_fftshift: the zero frequency moved to the middle.
#include "rules/fft/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor"},
    .forms = function,
    .doc = R"(Moves the zero frequency of a transform to the middle, negative frequencies before it.

Each dimension is rolled by half its size, rounded down. `torch.fft.ifftshift` undoes it.

Args:
    self (Tensor): any shape and dtype.
    dim (int or tuple of ints, optional): the dimensions to roll. Default: all.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.fft.fftshift(torch.fft.fftfreq(5))
    tensor([-0.4000, -0.2000,  0.0000,  0.2000,  0.4000]))",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes dim) -> Tensor { return fft_shift(self, dim, 0); },
});

}  // namespace
}  // namespace mt
