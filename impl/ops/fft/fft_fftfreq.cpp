// fft_fftfreq: the frequencies of an fft's elements.
#include "rules/factory.h"

namespace mt {
namespace {

constexpr auto frequencies = [](int64_t n, double d, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                                std::optional<bool> pin) -> Tensor {
  const NewOptions o = dense_options(dtype, layout, device, pin, default_dtype());
  check(is_differentiable(o.dtype), "fftfreq requires a floating point or complex dtype");
  const int64_t count = n;
  check(count >= 0, "Trying to create tensor with negative dimension {}: [{}]", count, count);
  BelowAutograd guard;
  Tensor t = op<"arange">(count, o.dtype, nullptr, o.device);
  op<"sub_.Scalar">(op<"slice.Tensor">(t, 0, (n + 1) / 2, std::nullopt), n);
  return op<"mul_.Scalar">(t, 1.0 / (double(n) * d));
};

MT_OP(OpDef{
    .schema = {"fft_fftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = "The frequencies of an fft's elements.",
    .module = "fft",
    .cpu = frequencies,
    .meta = frequencies,
});

}  // namespace
}  // namespace mt
