// bartlett_window: a triangle from 0 up to 1 and back.
#include <vector>

#include "rules/factory/window.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

Tensor make_bartlett_window(int64_t length, bool periodic, std::optional<Dtype> dtype, std::optional<Layout> layout,
                            std::optional<Device> device, std::optional<bool> pin) {
  const WindowOptions o = window_options("bartlett_window", length, dtype, layout, device, pin);
  return make_window(o, length, periodic, [](Tensor x) {
    const int64_t n = x.numel(), half = (n - 1) / 2 + 1;
    x = x * (2.0 / double(n - 1));
    const Tensor falling = op<"narrow">(x, 0, half, n - half) * -1 + 2;
    return op<"cat">(std::vector<Tensor>{op<"narrow">(x, 0, 0, half), falling}, 0);
  });
}

MT_OP(OpDef{
    .schema = {"bartlett_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor",
               "bartlett_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a Bartlett window: a triangle from 0 up to 1 and back to 0.

``w[n] = 1 - |2 n / (N - 1) - 1|`` for n from 0 to N - 1 (Harris, "On the use of windows for
harmonic analysis with the discrete Fourier transform", Proc. IEEE 66, 1978). A periodic window is
that of length ``N + 1`` without its last element, as a Fourier transform wants it; a window of one
element is 1.

Args:
    window_length (int): number of elements; not negative.
    periodic (bool): whether the window is periodic, otherwise symmetric. Default: ``True``.

Returns:
    Tensor: a vector; floating dtypes only.

Raises:
    RuntimeError: when the length is negative or the dtype is not a floating one.

Example:
    >>> torch.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000]))",
    .cpu = BodyWithDefaults<int64_t>::body<make_bartlett_window, true>,
    .meta = BodyWithDefaults<int64_t>::body<make_bartlett_window, true>,
    .overloads = {overload("periodic", {.cpu = BodyWithDefaults<int64_t, bool>::body<make_bartlett_window>,
                                        .meta = BodyWithDefaults<int64_t, bool>::body<make_bartlett_window>})},
});

}  // namespace
}  // namespace mt
