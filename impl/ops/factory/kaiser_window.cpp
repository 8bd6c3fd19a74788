// kaiser_window: a window made of a Bessel function; a larger beta makes it narrower.
#include <cmath>

#include "rules/factory/window.h"
#include "rules/special/bessel.h"

namespace mt {
namespace {

Tensor make_kaiser_window(int64_t length, bool periodic, double beta, std::optional<Dtype> dtype, std::optional<Layout> layout,
                          std::optional<Device> device, std::optional<bool> pin) {
  const WindowOptions o = window_options("kaiser_window", length, dtype, layout, device, pin);
  return make_window(o, length, periodic, [=](Tensor x) {
    // I_0(beta sqrt(1 - t^2)) / I_0(beta) for t from -1 to 1.
    const double middle = double(x.numel() - 1) / 2;
    const Dtype compute = is_half(x.dtype()) ? Dtype::float32 : x.dtype();
    const Tensor t = (op<"to.dtype">(x, compute) - middle) / middle;
    const Tensor top = op<"i0">(op<"sqrt">(op<"clamp_min">(1 - t * t, 0)) * beta);
    return op<"to.dtype">(top / bessel_i0(beta), x.dtype());
  });
}

MT_OP(OpDef{
    .schema = {"kaiser_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor",
               "kaiser_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor",
               "kaiser_window.beta(int window_length, bool periodic, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a Kaiser window: ``I0(beta sqrt(1 - t^2)) / I0(beta)`` for t from -1 to 1.

I0 is the modified Bessel function of order 0 (``torch.special.i0``). A larger `beta` makes the
window narrower and its side lobes lower (Kaiser and Schafer, "On the use of the I0-sinh window for
spectrum analysis", IEEE Trans. ASSP 28, 1980). A periodic window is that of length ``N + 1``
without its last element; a window of one element is 1.

Args:
    window_length (int): number of elements; not negative.
    periodic (bool): whether the window is periodic, otherwise symmetric. Default: ``True``.
    beta (float): shape. Default: ``12.0``.

Returns:
    Tensor: a vector; floating dtypes only.

Raises:
    RuntimeError: when the length is negative or the dtype is not a floating one.

Example:
    >>> torch.kaiser_window(5, periodic=False, beta=2.0)
    tensor([0.4387, 0.8348, 1.0000, 0.8348, 0.4387]))",
    .cpu = BodyWithDefaults<int64_t>::body<make_kaiser_window, true, 12.0>,
    .meta = BodyWithDefaults<int64_t>::body<make_kaiser_window, true, 12.0>,
    .overloads = {overload("periodic", {.cpu = BodyWithDefaults<int64_t, bool>::body<make_kaiser_window, 12.0>,
                                        .meta = BodyWithDefaults<int64_t, bool>::body<make_kaiser_window, 12.0>}),
                  overload("beta", {.cpu = BodyWithDefaults<int64_t, bool, double>::body<make_kaiser_window>,
                                    .meta = BodyWithDefaults<int64_t, bool, double>::body<make_kaiser_window>})},
});

}  // namespace
}  // namespace mt
