// fft_ifftshift: the inverse of fftshift.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor"},
    .forms = function,
    .doc = "The inverse of fftshift.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes dim) -> Tensor { return fft_shift(self, dim, 1); },
});

}  // namespace
}  // namespace mt
