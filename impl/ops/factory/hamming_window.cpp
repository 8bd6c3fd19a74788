// hamming_window: a raised cosine, alpha - beta cos.
#include <cmath>

#include "rules/factory/window.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

Tensor make_hamming_window(int64_t length, bool periodic, double alpha, double beta, std::optional<Dtype> dtype,
                           std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) {
  const WindowOptions o = window_options("hamming_window", length, dtype, layout, device, pin);
  return make_window(o, length, periodic, [=](Tensor x) { return op<"cos">(x * (2 * M_PI / double(x.numel() - 1))) * -beta + alpha; });
}

MT_OP(OpDef{
    .schema = {"hamming_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor",
               "hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? "
               "pin_memory=None) -> Tensor",
               "hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, ScalarType? dtype=None, Layout? "
               "layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor",
               "hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a Hamming window: ``alpha - beta cos(2 pi n / (N - 1))`` for n from 0 to N - 1.

The defaults are Hamming's rounded numbers (Harris, "On the use of windows for harmonic analysis
with the discrete Fourier transform", Proc. IEEE 66, 1978). A periodic window is that of length
``N + 1`` without its last element, as a Fourier transform wants it; a window of one element is 1.

Args:
    window_length (int): number of elements; not negative.
    periodic (bool): whether the window is periodic, otherwise symmetric. Default: ``True``.
    alpha (float): the constant. Default: ``0.54``.
    beta (float): factor of the cosine. Default: ``0.46``.

Returns:
    Tensor: a vector; floating dtypes only.

Raises:
    RuntimeError: when the length is negative or the dtype is not a floating one.

Example:
    >>> torch.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400]))",
    .cpu = BodyWithDefaults<int64_t>::body<make_hamming_window, true, 0.54, 0.46>,
    .meta = BodyWithDefaults<int64_t>::body<make_hamming_window, true, 0.54, 0.46>,
    .overloads = {overload("periodic", {.cpu = BodyWithDefaults<int64_t, bool>::body<make_hamming_window, 0.54, 0.46>,
                                        .meta = BodyWithDefaults<int64_t, bool>::body<make_hamming_window, 0.54, 0.46>}),
                  overload("periodic_alpha", {.cpu = BodyWithDefaults<int64_t, bool, double>::body<make_hamming_window, 0.46>,
                                              .meta = BodyWithDefaults<int64_t, bool, double>::body<make_hamming_window, 0.46>}),
                  overload("periodic_alpha_beta", {.cpu = BodyWithDefaults<int64_t, bool, double, double>::body<make_hamming_window>,
                                                   .meta = BodyWithDefaults<int64_t, bool, double, double>::body<make_hamming_window>})},
});

}  // namespace
}  // namespace mt
