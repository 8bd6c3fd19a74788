// randint: new tensors of integers from [low, high).
#include "rules/random/whole_numbers.h"

namespace mt {
namespace {

constexpr auto randint_between_with_generator = [](int64_t low, int64_t high, IntList size, Generator* generator,
                                                   std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                                                   std::optional<bool> pin) -> Tensor {
  const NewOptions o = dense_options(dtype, layout, device, pin, Dtype::int64);
  Tensor t = empty(size, o.dtype, o.device);
  if (!t.is_meta()) fill_with_integers(t, low, high, generator);
  return t;
};

constexpr auto randint_below = [](int64_t high, IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                  std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return randint_between_with_generator(0, high, size, nullptr, dtype, layout, device, pin);
};
constexpr auto randint_below_with_generator =
    [](int64_t high, IntList size, Generator* g, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
       std::optional<bool> pin) -> Tensor { return randint_between_with_generator(0, high, size, g, dtype, layout, device, pin); };
constexpr auto randint_between = [](int64_t low, int64_t high, IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                    std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return randint_between_with_generator(low, high, size, nullptr, dtype, layout, device, pin);
};

MT_OP(OpDef{
    .schema = {"randint(SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor",
               "randint.generator(SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, "
               "Device? device=None, bool? pin_memory=None) -> Tensor",
               "randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, "
               "bool? pin_memory=None) -> Tensor",
               "randint.low_generator(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? "
               "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Draws integers from [low, high) with equal probability, in a given shape.

The numbers come from the generator's stream, so a seed gives the same ones on every run.

Args:
    low (int): smallest integer. Default: ``0``.
    high (int): the integers are below it.
    size (tuple of int): sizes.
    dtype (torch.dtype, optional): an integer or floating dtype that holds the range. Default:
        int64.

Returns:
    Tensor: a new tensor of shape `size`.

Raises:
    RuntimeError: when `low` is not below `high` or the range does not fit the dtype.

Example:
    >>> torch.randint(3, 4, (2, 2))
    tensor([[3, 3],
            [3, 3]]))",
    .traits = MT_OP_RANDOM,
    .cpu = randint_below,
    .npu = {any_device},
    .meta = randint_below,
    .overloads = {overload("generator", {.cpu = randint_below_with_generator, .npu = {any_device}, .meta = randint_below_with_generator}),
                  overload("low", {.cpu = randint_between, .npu = {any_device}, .meta = randint_between}),
                  overload("low_generator",
                           {.cpu = randint_between_with_generator, .npu = {any_device}, .meta = randint_between_with_generator})},
});

}  // namespace
}  // namespace mt
