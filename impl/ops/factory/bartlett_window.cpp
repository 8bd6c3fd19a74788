// bartlett_window: a triangle from 0 up to 1 and back.
#include <vector>

#include "rules/algebra.h"
#include "rules/window.h"

namespace mt {
namespace {

Tensor made(int64_t length, bool periodic, std::optional<Dtype> dtype, std::optional<Layout> layout,
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
    .doc = "A triangle from 0 up to 1 and back.",
    .cpu = Taking<int64_t>::body<made, true>,
    .meta = Taking<int64_t>::body<made, true>,
    .overloads = {overload("periodic", {.cpu = Taking<int64_t, bool>::body<made>, .meta = Taking<int64_t, bool>::body<made>})},
});

}  // namespace
}  // namespace mt
