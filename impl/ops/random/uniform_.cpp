// uniform_ and uniform: uniform numbers.
#include "rules/random/random.h"

namespace mt {
namespace {

constexpr auto uniform_in_place = [](const Tensor& self, double from, double to, Generator* generator) {
  fill_with_uniform_numbers(self, from, to, generator);
};
MT_OP(OpDef{
    .schema = {"uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Fills `self` with numbers from the uniform distribution over [from, to), in place.

The numbers come from the generator's stream, so a seed gives the same ones on every run. Where
`from` is not 0, rounding can give `to` itself.

Args:
    self (Tensor): tensor to fill; a floating dtype.
    from (float): lower bound. Default: ``0``.
    to (float): upper bound. Default: ``1``.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `from` is above `to` or the range is larger than the dtype holds.

Example:
    >>> g = torch.Generator().manual_seed(0)
    >>> torch.empty(2).uniform_(2, 4, generator=g)
    tensor([2.9925, 3.5364]))",
    .traits = MT_OP_RANDOM,
    .cpu = uniform_in_place,
    .npu = {"InplaceUniform"},
    .meta = uniform_in_place,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

constexpr auto sample_uniform_like = [](const Tensor& self, double from, double to, Generator* generator) -> Tensor {
  BelowAutograd guard;
  return op<"uniform_">(op<"empty_like">(self), from, to, generator);
};
MT_OP(OpDef{
    .schema = {"uniform(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a tensor like `self` filled with uniform numbers from [from, to).",
    .traits = MT_OP_RANDOM,
    .cpu = sample_uniform_like,
    .npu = {any_device},
    .meta = sample_uniform_like,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
