// normal_ and randn: normal numbers.
#include "core/backend.h"
#include "dispatch/out_words.h"
#include "rules/checked.h"
#include "rules/random.h"

namespace mt {
namespace {

void fill_real(const Tensor& self, double mean, double std, Generator* generator) {
  if (self.is_meta()) return;
  if (draws_itself(self)) {
    BelowAutograd guard;
    op<"normal_">(self, mean, std, generator);
    return;
  }
  const bool contiguous = self.is_contiguous();
  draw_into(self, generator, [&](cpu::RandomEngine& engine, const Tensor& t) {
    dispatch_floating(t.dtype(), "normal_kernel_cpu", [&]<class T>(Type<T>) {
      // torch draws one by one where memory is not contiguous.
      if (contiguous) cpu::fill_normal<T>(engine, t.data<T>(), t.numel(), mean, std);
      else cpu::fill_normal_one_by_one<T>(engine, t.data<T>(), t.numel(), mean, std);
    });
  });
}
constexpr auto fill = [](const Tensor& self, double mean, double std, Generator* generator) {
  check(std >= 0, "normal expects std >= 0.0, but found std {}", std);
  if (!is_complex(self.dtype())) return fill_real(self, mean, std, generator);
  BelowAutograd guard;  // each part has the mean, and half of the variance
  fill_real(op<"view_as_real">(self), mean, std * 0.70710678118654752440, generator);
};
MT_OP(OpDef{
    .schema = {"normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)"},
    .forms = method,
    .doc = "Fills with normal numbers of the given mean and standard deviation.",
    .traits = MT_OP_RANDOM,
    .cpu = fill,
    .npu = {"InplaceNormal(self, mean:float, std:float, seed, offset)"},
    .meta = fill,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

constexpr auto made = [](IntList size, Generator* generator, std::optional<Dtype> dtype, std::optional<Layout> layout,
                         std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  const NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
  Tensor t = empty(size, o.dtype, o.device);
  fill(t, 0, 1, generator);
  return t;
};
MT_OP(OpDef{
    .schema = {"randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
               "bool? pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = "Normal numbers with mean 0 and variance 1.",
    .traits = MT_OP_RANDOM,
    .cpu = Taking<IntList>::body<made, nullptr>,
    .npu = {any_device},
    .meta = Taking<IntList>::body<made, nullptr>,
    .overloads = {overload("generator", {.cpu = made, .npu = {any_device}, .meta = made})},
});
constexpr auto made_in = [](IntList size, Generator* generator, const Tensor& out) -> Tensor {
  op<"resize_">(out, size);
  return op<"normal_">(out, 0.0, 1.0, generator);
};
MT_OP(OpDef{
    .schema = {"randn.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)",
               "randn.generator_out(SymInt[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Normal numbers with mean 0 and variance 1, in `out`.",
    .traits = MT_OP_RANDOM,
    .composite = [](IntList size, const Tensor& out) -> Tensor { return made_in(size, nullptr, out); },
    .overloads = {overload("generator_out", {.composite = made_in})},
});
MT_OUT("randn", .refused_inside = true);
constexpr auto made_like = [](const Tensor& self, Generator* generator, std::optional<Dtype> dtype, std::optional<Layout> layout,
                              std::optional<Device> device, std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
  BelowAutograd guard;
  Tensor t = op<"empty_like">(self, dtype, layout, device, pin, format);
  fill(t, 0, 1, generator);
  return t;
};
MT_OP(OpDef{
    .schema = {"randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
               "MemoryFormat? memory_format=None) -> Tensor",
               "randn_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = "Normal numbers in the shape of `self`.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                    std::optional<bool> pin,
                    std::optional<MemoryFormat> format) -> Tensor { return made_like(self, nullptr, dtype, layout, device, pin, format); },
    .grad = not_differentiable,
    .overloads = {overload("generator", {.composite = made_like})},
});
MT_OP(OpDef{
    .schema = {"normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? "
               "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = "Normal numbers of the given mean, standard deviation and shape.",
    .traits = MT_OP_RANDOM,
    .composite = [](double mean, double std, IntList size, Generator* generator, std::optional<Dtype> dtype, std::optional<Layout> layout,
                    std::optional<Device> device, std::optional<bool> pin) -> Tensor {
      const NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
      Tensor t = empty(size, o.dtype, o.device);
      fill(t, mean, std, generator);
      return t;
    },
});
// Into `out`, or a new tensor of the first one's dtype.
Tensor drawn_around(const Value& mean, const Value& std, Generator* generator, Tensor out) {
  BelowAutograd guard;
  const Tensor m = detail::tensor_of(mean), s = detail::tensor_of(std);
  const bool varies = std.tag == MT_TAG_TENSOR;
  if (varies && !is_complex(s.dtype()) && s.numel() && !s.is_meta())
    check(*on_host(op<"all">(op<"ge">(s, 0))).data<bool>(), "normal expects all elements of std >= 0.0");
  const double times = varies ? 1 : Scalar::of_value(std).to_double();
  check(times >= 0, "normal expects std >= 0.0, but found std {}", times);
  check(!is_complex(s.dtype()), "normal expects standard deviation to be non-complex");
  const Dims sizes = broadcast_shapes(m.sizes(), s.sizes());
  if (!out.defined()) {
    const Tensor& like = mean.tag == MT_TAG_TENSOR ? m : s;
    out = empty(sizes, like.dtype(), like.device());
  }
  resize_output(out, sizes);
  const auto kept = [&](const Tensor& t) { return share_memory(out, t) ? op<"clone">(t) : t; };
  const Tensor around = kept(m), spread = kept(s);
  fill(out, 0, times, generator);
  if (varies) op<"mul_.Tensor">(out, spread);
  return op<"add_.Tensor">(out, around);
}
constexpr auto of_tensors = [](const Value& mean, const Value& std, Generator* generator) -> Tensor {
  return drawn_around(mean, std, generator, Tensor());
};
constexpr auto of_tensors_into = [](const Value& mean, const Value& std, Generator* generator, const Tensor& out) -> Tensor {
  return drawn_around(mean, std, generator, out);
};
constexpr auto zeros_of = [](Grad g) { return op<"zeros_like">(g); };
MT_OP(OpDef{
    .schema = {"normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor",
               "normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor",
               "normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor"},
    .forms = function,
    .doc = "Normal numbers with an own mean or standard deviation for each element.",
    .traits = MT_OP_RANDOM,
    .cpu = of_tensors,
    .npu = {any_device},
    .meta = of_tensors,
    .overloads = {overload("Tensor_float", {.grad = {wrt("mean", zeros_of)}, .grad_name = "NormalBackward1"}),
                  overload("float_Tensor", {.grad = {wrt("std", zeros_of)}, .grad_name = "NormalBackward2"}),
                  overload("Tensor_Tensor", {.grad = {wrt("mean", zeros_of), wrt("std", zeros_of)}, .grad_name = "NormalBackward3"})},
});

MT_OP(OpDef{
    .schema = {"normal.Tensor_float_out(Tensor mean, float std=1, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)",
               "normal.float_Tensor_out(float mean, Tensor std, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)",
               "normal.Tensor_Tensor_out(Tensor mean, Tensor std, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Normal numbers with an own mean or standard deviation for each element, in `out`.",
    .traits = MT_OP_RANDOM,
    .rule = after(refuse_out_elsewhere),
    .cpu = of_tensors_into,
    .npu = {any_device},
    .meta = of_tensors_into,
});

}  // namespace
}  // namespace mt
