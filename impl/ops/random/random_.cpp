// random_, randint, randint_like: fills with whole numbers from [from, to), or over the dtype's range.
#include "rules/random.h"

namespace mt {
namespace {

// The largest whole number that a dtype counts up to without a gap.
int64_t largest_of(Dtype d) {
  switch (d) {
    case Dtype::float32: return int64_t(1) << 24;
    case Dtype::float64: return int64_t(1) << 53;
    case Dtype::float16: return 1 << 11;
    case Dtype::bfloat16: return 1 << 8;
    case Dtype::uint8: return 255;
    case Dtype::int8: return 127;
    case Dtype::int16: return 32767;
    case Dtype::int32: return INT32_MAX;
    case Dtype::boolean: return 1;
    default: return INT64_MAX;
  }
}

template <class F>
void by_dtype(Dtype d, const char* name, F&& f) {
  dispatch_all(d, name, [&]<class T>(Type<T>) {
    if constexpr (is_complex_type<T>) not_implemented_for(name, d);
    else f(Type<T>());
  });
}

constexpr auto whole_range = [](const Tensor& self, Generator* generator) {
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    by_dtype(t.dtype(), "random_kernel_cpu", [&]<class T>(Type<T>) { cpu::fill_random<T>(engine, t.data<T>(), t.numel()); });
  });
};

constexpr auto in_range = [](const Tensor& self, int64_t from, std::optional<int64_t> to, Generator* generator) {
  const Dtype d = self.dtype();
  uint64_t range;
  if (to) {
    check(from < *to, "random_ expects 'from' to be less than 'to', but got from={} >= to={}", from, *to);
    range = uint64_t(*to) - uint64_t(from);
    if (is_integral(d, true) && d != Dtype::int64)
      check(*to - 1 <= largest_of(d) && from >= (is_unsigned(d) || d == Dtype::boolean ? 0 : -largest_of(d) - 1), "to - 1 is out of bounds for {}", name_of(d));
  } else {
    range = from == INT64_MIN ? 0 : uint64_t(largest_of(d)) - uint64_t(from) + 1;
  }
  if (draws_itself(self)) {
    BelowAutograd guard;
    op<"random_.from">(self, from, to, generator);
    return;
  }
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    by_dtype(d, "random_from_to_kernel_cpu", [&]<class T>(Type<T>) { cpu::fill_random_range<T>(engine, t.data<T>(), t.numel(), range, from); });
  });
};

MT_OP(OpDef{
    .schema = {"random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)",
               "random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)",
               "random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = "Fills with whole numbers from [from, to), or over the dtype's range.",
    .traits = MT_OP_RANDOM,
    .cpu = in_range,
    .npu = {"InplaceRandom"},
    .meta = in_range,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
    .overloads = {overload("to", {.cpu = [](const Tensor& self, int64_t to, Generator* g) { in_range(self, 0, to, g); },
                                  .npu = {"InplaceRandom(self, 0, to, seed, offset)"},
                                  .meta = [](const Tensor&, int64_t, Generator*) {},
                                  .grad_name = "RandomBackward1"}),
                  overload("", {.cpu = whole_range, .meta = whole_range, .grad_name = "RandomBackward2"})},
});

constexpr auto made = [](int64_t low, int64_t high, IntList size, Generator* generator, std::optional<Dtype> dtype, std::optional<Layout> layout,
                         std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  const NewOptions o = new_options(dtype, layout, device, pin, Dtype::int64);
  Tensor t = empty(size, o.dtype, o.device);
  in_range(t, low, high, generator);
  return t;
};

MT_OP(OpDef{
    .schema = {"randint(SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "randint.generator(SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "randint.low_generator(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = "Whole numbers from [low, high).",
    .traits = MT_OP_RANDOM,
    .composite = [](int64_t high, IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                    std::optional<bool> pin) -> Tensor { return made(0, high, size, nullptr, dtype, layout, device, pin); },
    .overloads = {overload("generator", {.composite = [](int64_t high, IntList size, Generator* g, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                                         std::optional<Device> device, std::optional<bool> pin) -> Tensor {
                    return made(0, high, size, g, dtype, layout, device, pin);
                  }}),
                  overload("low", {.composite = [](int64_t low, int64_t high, IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                                   std::optional<Device> device, std::optional<bool> pin) -> Tensor {
                    return made(low, high, size, nullptr, dtype, layout, device, pin);
                  }}),
                  overload("low_generator", {.composite = made})},
});

Tensor made_like(const Tensor& self, int64_t low, int64_t high, Generator* generator, std::optional<Dtype> dtype, std::optional<Device> device,
                 std::optional<MemoryFormat> format) {
  Tensor t = empty_as(self, dtype.value_or(self.dtype()), device.value_or(self.device()), format);
  in_range(t, low, high, generator);
  return t;
}
int64_t bound_in(const Tensor& high) {
  check(high.dim() == 0 && high.device().is_cpu(), "high must be a scalar tensor and on CPU");
  return Scalar::load(high.dtype(), high.data()).to_int();
}

MT_OP(OpDef{
    .schema = {"randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
               "randint_like.generator(Tensor self, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
               "randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
               "randint_like.low_generator_dtype(Tensor self, SymInt low, SymInt high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
               "randint_like.Tensor(Tensor self, Tensor high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
               "randint_like.Tensor_generator(Tensor self, Tensor high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = "Whole numbers from [low, high) in the shape and dtype of `self`.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, int64_t high, std::optional<Dtype> dtype, std::optional<Layout>, std::optional<Device> device, std::optional<bool>, std::optional<MemoryFormat> format) -> Tensor {
      return made_like(self, 0, high, nullptr, dtype, device, format);
    },
    .grad = not_differentiable,
    .overloads = {overload("generator", {.composite = [](const Tensor& self, int64_t high, Generator* g, std::optional<Dtype> dtype, std::optional<Layout>, std::optional<Device> device, std::optional<bool>, std::optional<MemoryFormat> format) -> Tensor {
                    return made_like(self, 0, high, g, dtype, device, format);
                  }}),
                  overload("low_dtype", {.composite = [](const Tensor& self, int64_t low, int64_t high, std::optional<Dtype> dtype, std::optional<Layout>, std::optional<Device> device, std::optional<bool>, std::optional<MemoryFormat> format) -> Tensor {
                    return made_like(self, low, high, nullptr, dtype, device, format);
                  }}),
                  overload("low_generator_dtype", {.composite = [](const Tensor& self, int64_t low, int64_t high, Generator* g, std::optional<Dtype> dtype, std::optional<Layout>, std::optional<Device> device, std::optional<bool>, std::optional<MemoryFormat> format) -> Tensor {
                    return made_like(self, low, high, g, dtype, device, format);
                  }}),
                  overload("Tensor", {.composite = [](const Tensor& self, const Tensor& high, std::optional<Dtype> dtype, std::optional<Layout>, std::optional<Device> device, std::optional<bool>, std::optional<MemoryFormat> format) -> Tensor {
                    return made_like(self, 0, bound_in(high), nullptr, dtype, device, format);
                  }}),
                  overload("Tensor_generator", {.composite = [](const Tensor& self, const Tensor& high, Generator* g, std::optional<Dtype> dtype, std::optional<Layout>, std::optional<Device> device, std::optional<bool>, std::optional<MemoryFormat> format) -> Tensor {
                    return made_like(self, 0, bound_in(high), g, dtype, device, format);
                  }})},
});

}  // namespace
}  // namespace mt
