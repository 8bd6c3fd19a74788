// fft_rfftfreq: the frequencies of an rfft's elements.
#include "rules/factory.h"

namespace mt {
namespace {

constexpr auto frequencies = [](int64_t n, double d, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                                std::optional<bool> pin) -> Tensor {
  const NewOptions o = dense_options(dtype, layout, device, pin, default_dtype());
  check(is_differentiable(o.dtype), "rfftfreq requires a floating point or complex dtype");
  const int64_t count = n / 2 + 1;
  check(count >= 0, "Trying to create tensor with negative dimension {}: [{}]", count, count);
  BelowAutograd guard;
  Tensor t = op<"arange">(count, o.dtype, nullptr, o.device);
  return op<"mul_.Scalar">(t, 1.0 / (double(n) * d));
};

MT_OP(OpDef{
    .schema = {"fft_rfftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = "The frequencies of an rfft's elements.",
    .module = "fft",
    .cpu = frequencies,
    .meta = frequencies,
});

}  // namespace
}  // namespace mt
