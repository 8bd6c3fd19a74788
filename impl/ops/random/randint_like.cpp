// randint_like: integers from [low, high) in the shape of a tensor.
#include "rules/random/whole_numbers.h"

namespace mt {
namespace {

template <class T>
using Maybe = std::optional<T>;

Tensor make_like(const Tensor& self, int64_t low, int64_t high, Generator* generator, Maybe<Dtype> dtype, Maybe<Device> device,
                 Maybe<MemoryFormat> format) {
  Tensor t = empty_as(self, dtype.value_or(self.dtype()), device.value_or(self.device()), format);
  fill_with_integers(t, low, high, generator);
  return t;
}
int64_t read_bound(const Tensor& high) {
  check(high.dim() == 0 && high.device().is_cpu(), "high must be a scalar tensor and on CPU");
  return Scalar::load(high.dtype(), high.data()).to_int();
}

constexpr auto randint_like_below = [](const Tensor& self, int64_t high, Maybe<Dtype> dtype, Maybe<Layout>, Maybe<Device> device,
                                       Maybe<bool>, Maybe<MemoryFormat> format) -> Tensor {
  return make_like(self, 0, high, nullptr, dtype, device, format);
};
constexpr auto randint_like_below_with_generator = [](const Tensor& self, int64_t high, Generator* g, Maybe<Dtype> dtype, Maybe<Layout>,
                                                      Maybe<Device> device, Maybe<bool>, Maybe<MemoryFormat> format) -> Tensor {
  return make_like(self, 0, high, g, dtype, device, format);
};
constexpr auto randint_like_between = [](const Tensor& self, int64_t low, int64_t high, Maybe<Dtype> dtype, Maybe<Layout>,
                                         Maybe<Device> device, Maybe<bool>, Maybe<MemoryFormat> format) -> Tensor {
  return make_like(self, low, high, nullptr, dtype, device, format);
};
constexpr auto randint_like_between_with_generator =
    [](const Tensor& self, int64_t low, int64_t high, Generator* g, Maybe<Dtype> dtype, Maybe<Layout>, Maybe<Device> device, Maybe<bool>,
       Maybe<MemoryFormat> format) -> Tensor { return make_like(self, low, high, g, dtype, device, format); };
constexpr auto randint_like_below_tensor = [](const Tensor& self, const Tensor& high, Maybe<Dtype> dtype, Maybe<Layout>,
                                              Maybe<Device> device, Maybe<bool>, Maybe<MemoryFormat> format) -> Tensor {
  return make_like(self, 0, read_bound(high), nullptr, dtype, device, format);
};
constexpr auto randint_like_below_tensor_with_generator =
    [](const Tensor& self, const Tensor& high, Generator* g, Maybe<Dtype> dtype, Maybe<Layout>, Maybe<Device> device, Maybe<bool>,
       Maybe<MemoryFormat> format) -> Tensor { return make_like(self, 0, read_bound(high), g, dtype, device, format); };

MT_OP(OpDef{
    .schema = {"randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
               "randint_like.generator(Tensor self, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, "
               "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
               "randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
               "randint_like.low_generator_dtype(Tensor self, SymInt low, SymInt high, *, Generator? generator, ScalarType? dtype=None, "
               "Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
               "randint_like.Tensor(Tensor self, Tensor high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
               "randint_like.Tensor_generator(Tensor self, Tensor high, *, Generator? generator, ScalarType? dtype=None, Layout? "
               "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = R"(Draws integers from [low, high) with equal probability, in the shape of a tensor.

The numbers come from the generator's stream, so a seed gives the same ones on every run.

Args:
    self (Tensor): tensor whose shape, dtype and device are taken.
    low (int): smallest integer. Default: ``0``.
    high (int or Tensor): the integers are below it; a tensor has no dimensions and is on the CPU.
    dtype (torch.dtype, optional): a dtype that holds the range. Default: that of `self`.

Returns:
    Tensor: a new tensor in the shape of `self`.

Raises:
    RuntimeError: when `low` is not below `high` or the range does not fit the dtype.

Example:
    >>> torch.randint_like(torch.zeros(2), 5, 6)
    tensor([5., 5.]))",
    .traits = MT_OP_RANDOM,
    .cpu = randint_like_below,
    .npu = {any_device},
    .meta = randint_like_below,
    .grad = not_differentiable,
    .overloads = {overload("generator",
                           {.cpu = randint_like_below_with_generator, .npu = {any_device}, .meta = randint_like_below_with_generator}),
                  overload("low_dtype", {.cpu = randint_like_between, .npu = {any_device}, .meta = randint_like_between}),
                  overload("low_generator_dtype",
                           {.cpu = randint_like_between_with_generator, .npu = {any_device}, .meta = randint_like_between_with_generator}),
                  overload("Tensor", {.cpu = randint_like_below_tensor, .npu = {any_device}, .meta = randint_like_below_tensor}),
                  overload("Tensor_generator", {.cpu = randint_like_below_tensor_with_generator,
                                                .npu = {any_device},
                                                .meta = randint_like_below_tensor_with_generator})},
});

}  // namespace
}  // namespace mt
