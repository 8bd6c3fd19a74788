// fft_fftfreq: the frequencies of an fft's elements.
#include "core/messages.h"
#include "rules/factory/factory.h"

namespace mt {
namespace {

constexpr auto compute_fft_fftfreq = [](int64_t n, double d, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                        std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  const NewOptions o = dense_options(dtype, layout, device, pin, default_dtype());
  check(is_differentiable(o.dtype), "fftfreq requires a floating point or complex dtype");
  const int64_t count = n;
  check(count >= 0, messages::negative_size, count, count);
  BelowAutograd guard;
  Tensor t = op<"arange">(count, o.dtype, nullptr, o.device);
  op<"sub_.Scalar">(op<"slice.Tensor">(t, 0, (n + 1) / 2, std::nullopt), n);
  return op<"mul_.Scalar">(t, 1.0 / (double(n) * d));
};

MT_OP(OpDef{
    .schema = {"fft_fftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the frequencies of the elements that `torch.fft.fft` returns.

That is k / (n * d) for k = 0, 1, ..., (n - 1) // 2, then the negative ones from -(n // 2) to -1.
With an even n the highest frequency is given as a negative one.

Args:
    n (int): the number of elements.
    d (float): the time between samples. Default: ``1.0``.

Returns:
    Tensor: ``(n,)``, in the default float dtype or `dtype`.

Example:
    >>> torch.fft.fftfreq(5, d=0.1)
    tensor([ 0.,  2.,  4., -4., -2.])
    >>> torch.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500]))",
    .module = "fft",
    .cpu = compute_fft_fftfreq,
    .meta = compute_fft_fftfreq,
});

}  // namespace
}  // namespace mt
