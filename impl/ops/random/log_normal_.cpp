// log_normal_ and log_normal: numbers whose logarithms are normal.
#include "rules/random/random.h"

namespace mt {
namespace {

constexpr auto log_normal_in_place = [](const Tensor& self, double mean, double std, Generator* generator) {
  check(std > 0, "log_normal_ expects std > 0.0, but found std={}", std);
  if (!is_floating(self.dtype())) not_implemented_for("log_normal_cpu", self.dtype());
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_floating(t.dtype(), "log_normal_cpu",
                      [&]<class T>(Type<T>) { cpu::fill_log_normal<T>(engine, t.data<T>(), t.numel(), mean, std); });
  });
};
MT_OP(OpDef{
    .schema = {"log_normal_(Tensor(a!) self, float mean=1, float std=2, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Fills `self` with numbers whose logarithms are normal, in place.

They are ``exp(z)`` for normal z; `mean` and `std` are those of z. The numbers come from the
generator's stream, so a seed gives the same ones on every run.

Args:
    self (Tensor): tensor to fill; a floating dtype.
    mean (float): mean of the logarithms. Default: ``1``.
    std (float): standard deviation of the logarithms; positive. Default: ``2``.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `std` is not positive.

Example:
    >>> g = torch.Generator().manual_seed(0)
    >>> (torch.empty(100).log_normal_(generator=g) > 0).all()
    tensor(True))",
    .traits = MT_OP_RANDOM,
    .cpu = log_normal_in_place,
    .meta = log_normal_in_place,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

constexpr auto sample_log_normal_like = filled_like<log_normal_in_place, double, double>;
MT_OP(OpDef{
    .schema = {"log_normal(Tensor self, float mean=1., float std=2., *, Generator? generator=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a tensor like `self` filled with numbers whose logarithms are normal.",
    .traits = MT_OP_RANDOM,
    .cpu = sample_log_normal_like,
    .meta = sample_log_normal_like,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
