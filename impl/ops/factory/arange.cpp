// arange: numbers from a start in equal steps, before an end.
#include <cmath>

#include "core/dispatch_dtype.h"
#include "core/messages.h"
#include "rules/factory/spacing.h"

namespace mt {
namespace {

bool is_floating_or_complex(const Scalar& s) { return s.is_real() || s.is_complex(); }

// The number of elements. int64 computes it in integers; every other dtype in double.
int64_t count_steps(const Scalar& start, const Scalar& end, const Scalar& step, Dtype dtype) {
  for (const Scalar& s : {start, end, step}) s.check_fits(Dtype::float64);
  const double first = start.to_double(), last = end.to_double(), by = step.to_double();
  check(by > 0 || by < 0, messages::step_must_be_nonzero);
  if (dtype == Dtype::int64) {
    step.check_fits(dtype);
    check(step.to_int() != 0, ErrorKind::value, messages::step_must_be_nonzero);
  }
  check(std::isfinite(first) && std::isfinite(last), messages::unsupported_range, first, last);
  check((by > 0 && last >= first) || (by < 0 && last <= first), messages::bounds_inconsistent_with_step);
  check((last - first) / by < 0x1p63, messages::invalid_size_possible_overflow);
  if (dtype != Dtype::int64 &&
      (is_floating_or_complex(start) || is_floating_or_complex(end) || is_floating_or_complex(step) || !is_integral(dtype)))
    return int64_t(std::ceil((last - first) / by));
  const int64_t b = step.to_int(), span = end.to_int() - start.to_int();
  return (span + b - (b > 0 ? 1 : -1)) / b;
}
Tensor make_sequence(const Scalar& start, const Scalar& end, const Scalar& step, std::optional<Dtype> dtype, std::optional<Layout> layout,
                     std::optional<Device> device, std::optional<bool> pin) {
  Dtype natural = is_floating_or_complex(start) || is_floating_or_complex(end) || is_floating_or_complex(step) ? default_dtype()
                                                                                                               : Dtype::int64;
  NewOptions o = dense_options(dtype, layout, device, pin, natural);
  if (!o.device.is_cpu() && !o.device.is_meta()) return op<"arange.start_step">(start, end, step, o.dtype, layout, o.device, pin);
  if (o.device.is_cpu()) dispatch_real(o.dtype, "arange_cpu", [](auto) {});  // raises first if the dtype has no kernel
  Tensor out = empty({count_steps(start, end, step, o.dtype)}, o.dtype, o.device);
  if (!out.is_meta()) fill_steps(out, start, step);
  return out;
}
constexpr auto arange_from = [](Scalar start, Scalar end, Scalar step, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                std::optional<Device> device,
                                std::optional<bool> pin) { return make_sequence(start, end, step, dtype, layout, device, pin); };

MT_OP(OpDef{
    .schema = {"arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor",
               "arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns the numbers ``start, start + step, ...`` before `end`.

There are ``ceil((end - start) / step)`` of them, computed in float64 (int64 in integers). With a
fractional `step` rounding can add or drop the last one: ``torch.linspace`` takes the number of
elements instead.

Args:
    start (number): first number. Default: ``0``.
    end (number): the numbers end before it.
    step (number): distance; not 0, may be negative. Default: ``1``.
    dtype (torch.dtype, optional): Default: int64 where all arguments are integers, otherwise the
        default dtype.

Returns:
    Tensor: a vector.

Raises:
    RuntimeError: when `step` is 0 or leads away from `end`, or an argument is not finite.

Example:
    >>> torch.arange(3), torch.arange(1, 2, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000])))",
    .cpu = [](Scalar end, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
              std::optional<bool> pin) { return make_sequence(0, end, 1, dtype, layout, device, pin); },
    .npu = {any_device},
    .meta = [](Scalar end, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
               std::optional<bool> pin) { return make_sequence(0, end, 1, dtype, layout, device, pin); },
    .overloads = {overload("start",
                           {.cpu = [](Scalar start, Scalar end, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                      std::optional<Device> device,
                                      std::optional<bool> pin) { return make_sequence(start, end, 1, dtype, layout, device, pin); },
                            .npu = {any_device},
                            .meta = [](Scalar start, Scalar end, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                       std::optional<Device> device,
                                       std::optional<bool> pin) { return make_sequence(start, end, 1, dtype, layout, device, pin); }}),
                  overload("start_step", {.cpu = arange_from, .npu = {"Arange(start, end, step)"}, .meta = arange_from})},
});

// `out` keeps its dtype, and its shape if the number of elements is right.
Tensor write_arange(const Tensor& out, const Scalar& start, const Scalar& end, const Scalar& step) {
  const Tensor numbers = make_sequence(start, end, step, out.dtype(), std::nullopt, out.device(), std::nullopt);
  const int64_t count = numbers.numel();
  if (out.numel() != count) {
    if (out.numel())
      warn(
          "The number of elements in the out tensor of shape {} is {} which does not match the computed number of elements {}. Note that "
          "this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape ({},).",
          out.sizes(), out.numel(), count, count);
    resize_to(out, IntList{count});
  }
  return op<"copy_">(out, op<"view">(numbers, out.sizes()));
}
MT_OP(OpDef{
    .schema = {"arange.out(Scalar end, *, Tensor(a!) out) -> Tensor(a!)",
               "arange.start_out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = R"(Writes ``start, start + step, ...`` before `end` to `out`, in its dtype.

`out` keeps its shape where it has that many elements.)",
    .composite = [](Scalar end, const Tensor& out) -> Tensor { return write_arange(out, 0, end, 1); },
    .out_policy = OutPolicy{.recorded_as = "aten::arange"},
    .overloads = {overload("start_out", {.composite = [](Scalar start, Scalar end, Scalar step, const Tensor& out) -> Tensor {
                             return write_arange(out, start, end, step);
                           }})},
});

}  // namespace
}  // namespace mt
