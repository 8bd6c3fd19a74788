// normal_: fills with normal numbers.
#include "rules/random/random.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto normal_in_place = [](const Tensor& self, double mean, double std, Generator* generator) {
  fill_with_normal_numbers(self, mean, std, generator);
};
MT_OP(OpDef{
    .schema = {"normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Fills `self` with normal numbers of one mean and standard deviation, in place.

The numbers come from the generator's stream, so a seed gives the same ones on every run.

Args:
    self (Tensor): tensor to fill; a floating or complex dtype.
    mean (float): mean. Default: ``0``.
    std (float): standard deviation; not negative. Default: ``1``.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `std` is negative.

Example:
    >>> torch.empty(2).normal_(3.0, 0.0)
    tensor([3., 3.]))",
    .traits = MT_OP_RANDOM,
    .cpu = normal_in_place,
    .npu = {"InplaceNormal(self, mean:float, std:float, seed, offset)"},
    .meta = normal_in_place,
    .compressed = [](const Tensor& self, double mean, double std, Generator* generator) -> Tensor {
      fill_with_normal_numbers(components_of(self).values, mean, std, generator);
      return self;
    },
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
