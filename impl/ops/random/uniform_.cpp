// uniform_ and uniform: uniform numbers.
#include "rules/random.h"

namespace mt {
namespace {

constexpr auto fill = [](const Tensor& self, double from, double to, Generator* generator) {
  fill_with_uniform_numbers(self, from, to, generator);
};
MT_OP(OpDef{
    .schema = {"uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = "Fills with uniform numbers from [from, to).",
    .traits = MT_OP_RANDOM,
    .cpu = fill,
    .npu = {"InplaceUniform"},
    .meta = fill,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

constexpr auto drawn = [](const Tensor& self, double from, double to, Generator* generator) -> Tensor {
  BelowAutograd guard;
  return op<"uniform_">(op<"empty_like">(self), from, to, generator);
};
MT_OP(OpDef{
    .schema = {"uniform(Tensor self, float from=0., float to=1., *, Generator? generator=None) -> Tensor"},
    .forms = internal,
    .doc = "A tensor like `self`, filled with uniform numbers from [from, to).",
    .traits = MT_OP_RANDOM,
    .cpu = drawn,
    .npu = {any_device},
    .meta = drawn,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
