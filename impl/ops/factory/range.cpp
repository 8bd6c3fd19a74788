// range: numbers from a start in equal steps, up to and including an end. Deprecated for arange.
#include <cmath>

#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "rules/factory/factory.h"

namespace mt {
namespace {

void check_range(double first, double last, double step) {
  check(step > 0 || step < 0, messages::step_must_be_nonzero);
  check(std::isfinite(first) && std::isfinite(last), messages::unsupported_range, first, last);
  check((step > 0 && last >= first) || (step < 0 && last <= first), messages::bounds_inconsistent_with_step);
}

void fill_range(const Tensor& out, const Scalar& start, const Scalar& step) {
  if (out.is_meta()) return;
  dispatch_real(out.dtype(), "range_cpu", [&]<class T>(Type<T>) {
    T* data = out.data<T>();
    for (int64_t i = 0; i < out.numel(); ++i) {
      if constexpr (std::is_integral_v<T>)
        data[i] = T(start.to_int() + i * step.to_int());
      else
        data[i] = T(ComputeType<T>(start.to_double() + double(i) * step.to_double()));
    }
  });
}

// Computes the number of elements in the accumulation dtype of `dtype`, which must be able to represent the arguments.
int64_t count_steps(const Scalar& start, const Scalar& end, const Scalar& step, Dtype dtype) {
  const Dtype wide = is_integral(dtype) ? Dtype::int64 : is_half(dtype) ? Dtype::float32 : Dtype::float64;
  for (const Scalar& s : {start, end, step}) s.check_fits(wide);
  check_range(start.to_double(), end.to_double(), step.to_double());
  const double steps = is_half(dtype) ? double((float(end.to_double()) - float(start.to_double())) / float(step.to_double()))
                                      : (end.to_double() - start.to_double()) / step.to_double();
  check(steps < 0x1p63, messages::invalid_size_possible_overflow);
  if (!is_integral(dtype)) return int64_t(steps) + 1;
  check(step.to_int() != 0, messages::step_must_be_nonzero);  // a fractional step becomes 0 for integers
  return (end.to_int() - start.to_int()) / step.to_int() + 1;
}

void warn_of_range() {
  warn(
      "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with Python's range builtin. "
      "Instead, use torch.arange, which produces values in [start, end).");
}

Tensor compute_range(const Scalar& start, const Scalar& end, const Scalar& step, std::optional<Dtype> dtype, std::optional<Layout> layout,
                     std::optional<Device> device, std::optional<bool> pin) {
  const NewOptions o = dense_options(dtype, layout, device, pin, default_dtype());
  if (o.device.is_cpu()) dispatch_real(o.dtype, "range_cpu", [](auto) {});  // raises first if the dtype has no kernel
  const Tensor out = empty({count_steps(start, end, step, o.dtype)}, o.dtype, o.device);
  fill_range(out, start, step);
  return out;
}
constexpr auto make_range = [](Scalar start, Scalar end, Scalar step, std::optional<Dtype> dtype, std::optional<Layout> layout,
                               std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  warn_of_range();
  return compute_range(start, end, step, dtype, layout, device, pin);
};
constexpr auto range_with_unit_step = [](Scalar start, Scalar end, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                         std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return make_range(start, end, 1, dtype, layout, device, pin);
};

MT_OP(OpDef{
    .schema =
        {"range(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
         "Tensor",
         "range.step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
         "pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns ``start, start + step, ...`` up to and including `end`; deprecated.

Use ``torch.arange``, which ends before `end`. Each call warns.

Args:
    start (number): first number. Default: ``0``.
    end (number): largest possible number.
    step (number): distance; not 0. Default: ``1``.
    dtype (torch.dtype, optional): Default: the default dtype.

Returns:
    Tensor: a vector of ``floor((end - start) / step) + 1`` elements.

Raises:
    RuntimeError: when `step` is 0 or leads away from `end`, or an argument is not finite.

Example:
    >>> torch.range(1, 3)
    tensor([1., 2., 3.]))",
    .cpu = range_with_unit_step,
    .meta = range_with_unit_step,
    // Python has only the overload whose `step` has a default; the one without `step` is internal.
    .overloads = {overload("", {.forms = internal}), overload("step", {.cpu = make_range, .meta = make_range})},
});

// `out` keeps its dtype, and its shape if the number of elements is right. The warning is issued before autograd refuses `out`.
MT_OP(OpDef{
    .schema = {"range.out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes ``start, start + step, ...`` up to and including `end` to `out`; deprecated.",
    .composite = [](Scalar start, Scalar end, Scalar step, const Tensor& out) -> Tensor {
      warn_of_range();
      return op<"_range.out">(start, end, step, out);
    },
});
MT_OP(OpDef{
    .schema = {"_range.out(Scalar start, Scalar end, Scalar step, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = internal,
    .doc = "Computes ``range`` into `out` without a warning.",
    .composite = [](Scalar start, Scalar end, Scalar step, const Tensor& out) -> Tensor {
      const Tensor numbers = compute_range(start, end, step, out.dtype(), std::nullopt, out.device(), std::nullopt);
      if (out.numel() != numbers.numel()) resize_to(out, numbers.sizes());
      return op<"copy_">(out, op<"view">(numbers, out.sizes()));
    },
    .out_policy = OutPolicy{.recorded_as = "aten::range"},
});

}  // namespace
}  // namespace mt
