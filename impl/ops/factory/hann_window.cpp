// hann_window: half a cosine's wave, from 0 up to 1 and back.
#include <cmath>

#include "rules/algebra.h"
#include "rules/window.h"

namespace mt {
namespace {

Tensor made(int64_t length, bool periodic, std::optional<Dtype> dtype, std::optional<Layout> layout,
            std::optional<Device> device, std::optional<bool> pin) {
  const WindowOptions o = window_options("hann_window", length, dtype, layout, device, pin);
  return make_window(o, length, periodic, [](Tensor x) {
    return op<"cos">(x * (2 * M_PI / double(x.numel() - 1))) * -0.5 + 0.5;
  });
}

MT_OP(OpDef{
    .schema =
        {"hann_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> Tensor",
         "hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = "Half a cosine's wave, from 0 up to 1 and back.",
    .cpu = Taking<int64_t>::body<made, true>,
    .meta = Taking<int64_t>::body<made, true>,
    .overloads = {overload("periodic", {.cpu = Taking<int64_t, bool>::body<made>, .meta = Taking<int64_t, bool>::body<made>})},
});

}  // namespace
}  // namespace mt
