// fft_fftshift: the zero frequency moved to the middle.
#include "rules/fft.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor"},
    .forms = function,
    .doc = "The zero frequency moved to the middle.",
    .module = "fft",
    .composite = [](const Tensor& self, FftSizes dim) -> Tensor { return fft_shift(self, dim, 0); },
});

}  // namespace
}  // namespace mt
