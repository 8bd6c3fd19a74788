// hamming_window: a raised cosine's wave, alpha - beta cos.
#include <cmath>

#include "rules/algebra.h"
#include "rules/window.h"

namespace mt {
namespace {

Tensor made(int64_t length, bool periodic, double alpha, double beta, std::optional<Dtype> dtype, std::optional<Layout> layout,
            std::optional<Device> device, std::optional<bool> pin) {
  const WindowOptions o = window_options("hamming_window", length, dtype, layout, device, pin);
  return make_window(o, length, periodic, [=](Tensor x) {
    return op<"cos">(x * (2 * M_PI / double(x.numel() - 1))) * -beta + alpha;
  });
}

MT_OP(OpDef{
    .schema =
        {"hamming_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> Tensor",
         "hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> Tensor",
         "hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> Tensor",
         "hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = "A raised cosine's wave, alpha - beta cos.",
    .cpu = Taking<int64_t>::body<made, true, 0.54, 0.46>,
    .meta = Taking<int64_t>::body<made, true, 0.54, 0.46>,
    .overloads = {overload("periodic",
                           {.cpu = Taking<int64_t, bool>::body<made, 0.54, 0.46>, .meta = Taking<int64_t, bool>::body<made, 0.54, 0.46>}),
                  overload("periodic_alpha", {.cpu = Taking<int64_t, bool, double>::body<made, 0.46>,
                                              .meta = Taking<int64_t, bool, double>::body<made, 0.46>}),
                  overload("periodic_alpha_beta", {.cpu = Taking<int64_t, bool, double, double>::body<made>,
                                                   .meta = Taking<int64_t, bool, double, double>::body<made>})},
});

}  // namespace
}  // namespace mt
