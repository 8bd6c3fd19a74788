// exponential_ and exponential: exponentially distributed numbers.
#include "rules/random/random.h"

namespace mt {
namespace {

constexpr auto exponential_in_place = [](const Tensor& self, double lambd, Generator* generator) {
  check(lambd > 0, "exponential_ expects lambda > 0.0, but found lambda={}", lambd);
  check(is_floating(self.dtype()),
        "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you specified {}",
        self.dtype());
  if (self.device().type == DeviceType::npu) {  // uniform numbers are below 1; results are kept above 0, since callers divide by them
    BelowAutograd guard;
    const Tensor uniform = op<"uniform_">(op<"empty_like">(self), 0.0, 1.0, generator);
    const Tensor waits = op<"neg">(op<"log1p">(op<"neg">(uniform)));
    copy_into(self, op<"div">(op<"clamp_min">(waits, 1e-7), lambd));
    return;
  }
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_floating(t.dtype(), "exponential_cpu",
                      [&]<class T>(Type<T>) { cpu::fill_exponential<T>(engine, t.data<T>(), t.numel(), lambd); });
  });
};
MT_OP(OpDef{
    .schema = {"exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Fills `self` with exponentially distributed numbers, in place.

The density is ``lambd * exp(-lambd * x)`` for positive x, the mean ``1 / lambd``. The numbers come
from the generator's stream, so a seed gives the same ones on every run.

Args:
    self (Tensor): tensor to fill; a floating dtype.
    lambd (float): rate; positive. Default: ``1``.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `lambd` is not positive or the dtype is not a floating one.

Example:
    >>> g = torch.Generator().manual_seed(0)
    >>> (torch.empty(100).exponential_(generator=g) > 0).all()
    tensor(True))",
    .traits = MT_OP_RANDOM,
    .cpu = exponential_in_place,
    .npu = {any_device},
    .meta = exponential_in_place,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

constexpr auto sample_exponential_like = filled_like<exponential_in_place, double>;
MT_OP(OpDef{
    .schema = {"exponential(Tensor self, float lambd=1., *, Generator? generator=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a tensor like `self` filled with exponentially distributed numbers.",
    .traits = MT_OP_RANDOM,
    .cpu = sample_exponential_like,
    .meta = sample_exponential_like,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
