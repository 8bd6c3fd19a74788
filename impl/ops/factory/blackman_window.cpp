// blackman_window: a sum of two cosines' waves.
#include <cmath>

#include "rules/algebra.h"
#include "rules/window.h"

namespace mt {
namespace {

Tensor made(int64_t length, bool periodic, std::optional<Dtype> dtype, std::optional<Layout> layout,
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
    .doc = "A sum of two cosines' waves.",
    .cpu = Taking<int64_t>::body<made, true>,
    .meta = Taking<int64_t>::body<made, true>,
    .overloads = {overload("periodic", {.cpu = Taking<int64_t, bool>::body<made>, .meta = Taking<int64_t, bool>::body<made>})},
});

}  // namespace
}  // namespace mt
