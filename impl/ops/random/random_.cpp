// random_: fills with integers from [from, to), or over the dtype's range.
#include "rules/random/whole_numbers.h"

namespace mt {
namespace {

constexpr auto fill_range = [](const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator) {
  fill_with_integers(self, from, to, generator);
};
constexpr auto fill_whole_range = [](const Tensor& self, Generator* generator) { fill_with_integers(self, generator); };

MT_OP(OpDef{
    .schema = {"random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)",
               "random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)",
               "random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Fills `self` with integers from [from, to) with equal probability, in place.

Without bounds the range is what the dtype holds exactly: from 0 to the largest integer, for
floating dtypes from 0 to 2 to the power of the bits of the significand (2^24 for float32). The
numbers come from the generator's stream, so a seed gives the same ones on every run.

Args:
    self (Tensor): tensor to fill; a real dtype or bool.
    from (int): smallest integer. Default: ``0``.
    to (int, optional): the integers are below it. Default: the end of the dtype's range.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `from` is not below `to` or the range does not fit the dtype.

Example:
    >>> torch.zeros(3).random_(7, 8)
    tensor([7., 7., 7.]))",
    .traits = MT_OP_RANDOM,
    .cpu = fill_range,
    .npu = {"InplaceRandom"},
    .meta = fill_range,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
    .overloads = {overload("to", {.cpu = [](const Tensor& self, int64_t to, Generator* g) { fill_range(self, 0, to, g); },
                                  .npu = {"InplaceRandom(self, 0, to, seed, offset)"},
                                  .meta = [](const Tensor&, int64_t, Generator*) {},
                                  .grad_name = "RandomBackward1"}),
                  overload("", {.cpu = fill_whole_range, .meta = fill_whole_range, .grad_name = "RandomBackward2"})},
});

}  // namespace
}  // namespace mt
