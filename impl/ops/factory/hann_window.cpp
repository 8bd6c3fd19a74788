// hann_window: a raised cosine from 0 up to 1 and back.
#include <cmath>

#include "rules/factory/window.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

Tensor make_hann_window(int64_t length, bool periodic, std::optional<Dtype> dtype, std::optional<Layout> layout,
                        std::optional<Device> device, std::optional<bool> pin) {
  const WindowOptions o = window_options("hann_window", length, dtype, layout, device, pin);
  return make_window(o, length, periodic, [](Tensor x) { return op<"cos">(x * (2 * M_PI / double(x.numel() - 1))) * -0.5 + 0.5; });
}

MT_OP(OpDef{
    .schema = {"hann_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor",
               "hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a Hann window: ``(1 - cos(2 pi n / (N - 1))) / 2`` for n from 0 to N - 1.

It goes from 0 up to 1 and back to 0 (Harris, "On the use of windows for harmonic analysis with the
discrete Fourier transform", Proc. IEEE 66, 1978). A periodic window is that of length ``N + 1``
without its last element, as a Fourier transform wants it; a window of one element is 1.

Args:
    window_length (int): number of elements; not negative.
    periodic (bool): whether the window is periodic, otherwise symmetric. Default: ``True``.

Returns:
    Tensor: a vector; floating dtypes only.

Raises:
    RuntimeError: when the length is negative or the dtype is not a floating one.

Example:
    >>> torch.hann_window(4), torch.hann_window(4, periodic=False)
    (tensor([0.0000, 0.5000, 1.0000, 0.5000]), tensor([0.0000, 0.7500, 0.7500, 0.0000])))",
    .cpu = BodyWithDefaults<int64_t>::body<make_hann_window, true>,
    .meta = BodyWithDefaults<int64_t>::body<make_hann_window, true>,
    .overloads = {overload("periodic", {.cpu = BodyWithDefaults<int64_t, bool>::body<make_hann_window>,
                                        .meta = BodyWithDefaults<int64_t, bool>::body<make_hann_window>})},
});

}  // namespace
}  // namespace mt
