// blackman_window: a sum of two cosines.
#include <cmath>

#include "rules/factory/window.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

Tensor make_blackman_window(int64_t length, bool periodic, std::optional<Dtype> dtype, std::optional<Layout> layout,
                            std::optional<Device> device, std::optional<bool> pin) {
  const WindowOptions o = window_options("blackman_window", length, dtype, layout, device, pin);
  return make_window(o, length, periodic, [](Tensor x) {
    x = x * (M_PI / double(x.numel() - 1));
    return op<"cos">(x * 4) * 0.08 - op<"cos">(x * 2) * 0.5 + 0.42;
  });
}

MT_OP(OpDef{
    .schema = {"blackman_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor",
               "blackman_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a Blackman window: a sum of a constant and two cosines.

``w[n] = 0.42 - 0.5 cos(2 pi n / (N - 1)) + 0.08 cos(4 pi n / (N - 1))`` for n from 0 to N - 1
(Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", Proc.
IEEE 66, 1978). A periodic window is that of length ``N + 1`` without its last element, as a Fourier
transform wants it; a window of one element is 1.

Args:
    window_length (int): number of elements; not negative.
    periodic (bool): whether the window is periodic, otherwise symmetric. Default: ``True``.

Returns:
    Tensor: a vector; floating dtypes only.

Raises:
    RuntimeError: when the length is negative or the dtype is not a floating one.

Example:
    >>> torch.blackman_window(4)[1:]
    tensor([0.3400, 1.0000, 0.3400]))",
    .cpu = BodyWithDefaults<int64_t>::body<make_blackman_window, true>,
    .meta = BodyWithDefaults<int64_t>::body<make_blackman_window, true>,
    .overloads = {overload("periodic", {.cpu = BodyWithDefaults<int64_t, bool>::body<make_blackman_window>,
                                        .meta = BodyWithDefaults<int64_t, bool>::body<make_blackman_window>})},
});

}  // namespace
}  // namespace mt
