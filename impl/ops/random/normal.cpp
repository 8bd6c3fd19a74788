// normal: normal numbers with given means and standard deviations.
#include "core/backend.h"
#include "core/messages.h"
#include "rules/form/checked.h"
#include "rules/random/random.h"

namespace mt {
namespace {

constexpr auto normal_of_numbers = [](double mean, double std, IntList size, Generator* generator, std::optional<Dtype> dtype,
                                      std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  const NewOptions o = dense_options(dtype, layout, device, pin, default_dtype());
  Tensor t = empty(size, o.dtype, o.device);
  fill_with_normal_numbers(t, mean, std, generator);
  return t;
};

MT_OP(OpDef{
    .schema = {"normal.float_float(float mean, float std, SymInt[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? "
               "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Draws normal numbers of one mean and standard deviation, in a given shape.

The numbers come from the generator's stream, so a seed gives the same ones on every run.

Args:
    mean (float): mean of all numbers.
    std (float): standard deviation of all numbers; not negative.
    size (tuple of int): sizes.

Returns:
    Tensor: a new tensor of shape `size`; the default dtype unless given.

Raises:
    RuntimeError: when `std` is negative.

Example:
    >>> torch.normal(2.0, 0.0, (3,))
    tensor([2., 2., 2.]))",
    .traits = MT_OP_RANDOM,
    .cpu = normal_of_numbers,
    .npu = {any_device},
    .meta = normal_of_numbers,
});
// Draws into `out`, or into a new tensor with the first argument's dtype.
Tensor sample_normal_around(const Value& mean, const Value& std, Generator* generator, Tensor out) {
  BelowAutograd guard;
  const Tensor m = detail::tensor_of(mean), s = detail::tensor_of(std);
  const bool varies = std.tag == MT_TAG_TENSOR;
  if (varies && !is_complex(s.dtype()) && s.numel() && !s.is_meta())
    check(*on_host(op<"all">(op<"ge">(s, 0))).data<bool>(), "normal expects all elements of std >= 0.0");
  const double times = varies ? 1 : Scalar::of_value(std).to_double();
  check(times >= 0, messages::normal_std_is_negative, times);
  check(!is_complex(s.dtype()), "normal expects standard deviation to be non-complex");
  const Dims sizes = broadcast_shapes(m.sizes(),
                                      varies || !out.defined() ? s.sizes() : out.sizes());  // torch expands a number to the shape of `out`
  if (!out.defined()) {
    const Tensor& like = mean.tag == MT_TAG_TENSOR ? m : s;
    out = empty(sizes, like.dtype(), like.device());
  }
  resize_output(out, sizes);
  const auto kept = [&](const Tensor& t) { return share_memory(out, t) ? op<"clone">(t) : t; };
  const Tensor around = kept(m), spread = kept(s);
  fill_with_normal_numbers(out, 0, times, generator);
  if (varies) op<"mul_.Tensor">(out, spread);
  return op<"add_.Tensor">(out, around);
}
constexpr auto sample_normal_for_tensors = [](const Value& mean, const Value& std, Generator* generator) -> Tensor {
  return sample_normal_around(mean, std, generator, Tensor());
};
constexpr auto normal_of_tensors_into = [](const Value& mean, const Value& std, Generator* generator, const Tensor& out) -> Tensor {
  return sample_normal_around(mean, std, generator, out);
};
constexpr auto zeros_of = [](Grad g) { return op<"zeros_like">(g); };
MT_OP(OpDef{
    .schema = {"normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor",
               "normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor",
               "normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor"},
    .forms = function,
    .doc = R"(Draws normal numbers with a mean or standard deviation for each element.

Two tensors are broadcast. ``torch.normal(mean, std, size)`` takes two numbers and a shape instead.
The numbers come from the generator's stream, so a seed gives the same ones on every run. The
gradient is zero: ``mean + std * torch.randn(...)`` has one.

Args:
    mean (Tensor or float): means; a floating or complex dtype.
    std (Tensor or float): standard deviations; not negative, not complex. Default: ``1``.

Returns:
    Tensor: a new tensor in the shape to which both broadcast, in the dtype of the first tensor.

Raises:
    RuntimeError: when a standard deviation is negative or complex.

Example:
    >>> torch.normal(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 0.0]))
    tensor([1., 2.]))",
    .traits = MT_OP_RANDOM,
    .cpu = sample_normal_for_tensors,
    .npu = {any_device},
    .meta = sample_normal_for_tensors,
    .overloads = {overload("Tensor_float", {.grad = {wrt("mean", zeros_of)}, .grad_name = "NormalBackward1"}),
                  overload("float_Tensor", {.grad = {wrt("std", zeros_of)}, .grad_name = "NormalBackward2"}),
                  overload("Tensor_Tensor", {.grad = {wrt("mean", zeros_of), wrt("std", zeros_of)}, .grad_name = "NormalBackward3"})},
});

MT_OP(OpDef{
    .schema = {"normal.Tensor_float_out(Tensor mean, float std=1, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)",
               "normal.float_Tensor_out(float mean, Tensor std, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)",
               "normal.Tensor_Tensor_out(Tensor mean, Tensor std, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Draws normal numbers with a mean or standard deviation for each element, into `out`.",
    .traits = MT_OP_RANDOM,
    .rule = rule_after_check(refuse_out_elsewhere),
    .cpu = normal_of_tensors_into,
    .npu = {any_device},
    .meta = normal_of_tensors_into,
});

}  // namespace
}  // namespace mt
