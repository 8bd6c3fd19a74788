// linspace: `steps` numbers from `start` to `end`, evenly spaced, ends included.
#include "rules/factory/spacing.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

void fill_linspace(const Tensor& out, const Scalar& start, const Scalar& end, int64_t steps) {
  if (out.is_meta() || steps == 0) return;
  for (const Scalar& s : {start, end}) s.check_fits(out.dtype());
  if (steps == 1) return fill_with(out, start);
  fill_between(out, start, end, steps);
}

Tensor make_linspace(const Scalar& start, const Scalar& end, int64_t steps, std::optional<Dtype> dtype, std::optional<Layout> layout,
                     std::optional<Device> device, std::optional<bool> pin) {
  const SpacingOptions o = spacing_options("linspace", start, end, steps, dtype, layout, device, pin);
  if (!o.device.is_cpu() && !o.device.is_meta()) return op<"linspace">(start, end, steps, dtype, layout, device, pin);
  const Tensor out = empty({steps}, o.dtype, o.device);
  fill_linspace(out, start, end, steps);
  return out;
}
constexpr auto linspace_between_numbers =
    [](Scalar start, Scalar end, int64_t steps, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
       std::optional<bool> pin) -> Tensor { return make_linspace(start, end, steps, dtype, layout, device, pin); };

constexpr auto linspace_between_tensors = [](const Tensor& start, const Tensor& end, int64_t steps, std::optional<Dtype> dtype,
                                             std::optional<Layout> layout, std::optional<Device> device,
                                             std::optional<bool> pin) -> Tensor {
  device = device_of_ends("linspace", &start, &end, device);
  return make_linspace(number_of(start), number_of(end), steps, dtype, layout, device, pin);
};
constexpr auto linspace_from_tensor = [](const Tensor& start, Scalar end, int64_t steps, std::optional<Dtype> dtype,
                                         std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  device = device_of_ends("linspace", &start, nullptr, device);
  return make_linspace(number_of(start), end, steps, dtype, layout, device, pin);
};
constexpr auto linspace_to_tensor = [](Scalar start, const Tensor& end, int64_t steps, std::optional<Dtype> dtype,
                                       std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  device = device_of_ends("linspace", nullptr, &end, device);
  return make_linspace(start, number_of(end), steps, dtype, layout, device, pin);
};

MT_OP(OpDef{
    .schema = {"linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor",
               "linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor",
               "linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor",
               "linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Returns `steps` evenly spaced numbers from `start` to `end`, both included.

Element i is ``start + i * (end - start) / (steps - 1)``; the second half is computed back from
`end`, so the ends are exact. Integer dtypes round towards zero. One step gives `start`.

Args:
    start (number or Tensor): first number; a tensor must have no dimensions.
    end (number or Tensor): last number.
    steps (int): how many; not negative.
    dtype (torch.dtype, optional): Default: the default dtype (complex for complex ends).

Returns:
    Tensor: a vector of `steps` elements.

Raises:
    RuntimeError: when `steps` is negative or an end does not fit the dtype.

Example:
    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000]))",
    .cpu = linspace_between_numbers,
    .npu = {"Linspace(start, end, steps)"},
    .meta = linspace_between_numbers,
    .grad = not_differentiable,
    .out_policy = OutPolicy{.keeps_shape = true},
    .overloads = {overload("Tensor_Tensor", {.composite = linspace_between_tensors}),
                  overload("Tensor_Scalar", {.composite = linspace_from_tensor}),
                  overload("Scalar_Tensor", {.composite = linspace_to_tensor})},
});

}  // namespace
}  // namespace mt
