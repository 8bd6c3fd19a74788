// fft_ifftshift: the inverse of fftshift.
#include "rules/fft/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor"},
    .forms = function,
    .doc = R"(Moves the zero frequency from the middle back to the front: the inverse of `torch.fft.fftshift`.

Each dimension is rolled by half its size, rounded up; for even sizes both functions do the same.

Args:
    self (Tensor): any shape and dtype.
    dim (int or tuple of ints, optional): the dimensions to roll. Default: all.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.fft.ifftshift(torch.tensor([-2, -1, 0, 1, 2]))
    tensor([ 0,  1,  2, -2, -1]))",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes dim) -> Tensor { return fft_shift(self, dim, 1); },
});

}  // namespace
}  // namespace mt
