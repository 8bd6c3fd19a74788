// uniform_ and rand: uniform numbers.
#include "rules/random.h"

namespace mt {
namespace {

void fill_real(const Tensor& self, double from, double to, Generator* generator) {
  if (!is_floating(self.dtype())) not_implemented_for("check_uniform_bounds", self.dtype());
  check(from <= to, "uniform_ expects to return a [from, to) range, but found from={} > to={}", from, to);
  if (draws_itself(self)) {
    BelowAutograd guard;
    op<"uniform_">(self, from, to, generator);
    return;
  }
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_floating(t.dtype(), "uniform", [&]<class T>(Type<T>) { cpu::fill_uniform<T>(engine, t.data<T>(), t.numel(), from, to); });
  });
}
constexpr auto fill = [](const Tensor& self, double from, double to, Generator* generator) {
  if (is_complex(self.dtype())) {  // two draws a number
    BelowAutograd guard;
    return fill_real(op<"view_as_real">(self), from, to, generator);
  }
  fill_real(self, from, to, generator);
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

constexpr auto made = [](IntList size, Generator* generator, std::optional<Dtype> dtype, std::optional<Layout> layout,
                         std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  const NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
  Tensor t = empty(size, o.dtype, o.device);
  fill(t, 0, 1, generator);
  return t;
};
MT_OP(OpDef{
    .schema = {"rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
               "bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = "Uniform numbers from [0, 1).",
    .traits = MT_OP_RANDOM,
    .cpu = Taking<IntList>::body<made, nullptr>,
    .npu = {any_device},
    .meta = Taking<IntList>::body<made, nullptr>,
    .overloads = {overload("generator", {.cpu = made, .npu = {any_device}, .meta = made})},
});
constexpr auto made_like = [](const Tensor& self, Generator* generator, std::optional<Dtype> dtype, std::optional<Layout> layout,
                              std::optional<Device> device, std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
  BelowAutograd guard;
  Tensor t = op<"empty_like">(self, dtype, layout, device, pin, format);
  fill(t, 0, 1, generator);
  return t;
};
MT_OP(OpDef{
    .schema = {"rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
               "MemoryFormat? memory_format=None) -> Tensor",
               "rand_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = "Uniform numbers from [0, 1) in the shape of `self`.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                    std::optional<bool> pin,
                    std::optional<MemoryFormat> format) -> Tensor { return made_like(self, nullptr, dtype, layout, device, pin, format); },
    .grad = not_differentiable,
    .overloads = {overload("generator", {.composite = made_like})},
});

}  // namespace
}  // namespace mt
