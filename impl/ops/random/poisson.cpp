// poisson: Poisson counts with the rates in a tensor.
#include "rules/random/sampling.h"

namespace mt {
namespace {

constexpr auto sample_poisson = [](const Tensor& self, Generator* generator) -> Tensor {
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (out.is_meta()) return out;
  const Tensor rates = dense(self);
  draw_into(out, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_floating(t.dtype(), "poisson_cpu", [&]<class T>(Type<T>) {
      using C = ComputeType<T>;
      for (int64_t i = 0; i < t.numel(); ++i) t.data<T>()[i] = T(C(draw_poisson(double(C(rates.data<T>()[i])), engine)));
    });
  });
  return out;
};

MT_OP(OpDef{
    .schema = {"poisson(Tensor self, Generator? generator=None) -> Tensor"},
    .forms = function,
    .doc = R"(Draws a number of the Poisson distribution for each rate.

The probability of k = 0, 1, ... is ``rate^k exp(-rate) / k!``. The numbers come from the
generator's stream, so a seed gives the same ones on every run. The gradient is zero.

Args:
    self (Tensor): rates; not negative; a floating dtype.

Returns:
    Tensor: counts in the shape and dtype of `self`.

Raises:
    RuntimeError: when a rate is negative.

Example:
    >>> torch.poisson(torch.zeros(2))
    tensor([0., 0.]))",
    .traits = MT_OP_RANDOM,
    .cpu = sample_poisson,
    .meta = sample_poisson,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
