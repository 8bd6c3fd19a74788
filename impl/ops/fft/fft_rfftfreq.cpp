// fft_rfftfreq: the frequencies of an rfft's elements.
#include "core/messages.h"
#include "rules/factory/factory.h"

namespace mt {
namespace {

constexpr auto compute_fft_rfftfreq = [](int64_t n, double d, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                         std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  const NewOptions o = dense_options(dtype, layout, device, pin, default_dtype());
  check(is_differentiable(o.dtype), "rfftfreq requires a floating point or complex dtype");
  const int64_t count = n / 2 + 1;
  check(count >= 0, messages::negative_size, count, count);
  BelowAutograd guard;
  Tensor t = op<"arange">(count, o.dtype, nullptr, o.device);
  return op<"mul_.Scalar">(t, 1.0 / (double(n) * d));
};

MT_OP(OpDef{
    .schema = {"fft_rfftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the frequencies of the elements that `torch.fft.rfft` returns.

That is k / (n * d) for k = 0, 1, ..., n // 2.

Args:
    n (int): the number of elements that were transformed.
    d (float): the time between samples. Default: ``1.0``.

Returns:
    Tensor: ``(n // 2 + 1,)``, in the default float dtype or `dtype`.

Example:
    >>> torch.fft.rfftfreq(5, d=0.1)
    tensor([0., 2., 4.]))",
    .module = "fft",
    .cpu = compute_fft_rfftfreq,
    .meta = compute_fft_rfftfreq,
});

}  // namespace
}  // namespace mt
