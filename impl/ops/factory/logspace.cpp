// logspace: powers of `base`, their exponents evenly spaced from `start` to `end`.
#include "rules/factory/spacing.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

void fill_logspace(const Tensor& out, const Scalar& start, const Scalar& end, int64_t steps, double base) {
  if (out.is_meta() || steps == 0) return;
  if (steps == 1) {
    const bool complex = is_complex(out.dtype());
    const Scalar only = complex ? Scalar(pow_(Complex<double>(base), start.to_complex())) : Scalar(std::pow(base, start.to_double()));
    only.check_fits(out.dtype());
    return fill_with(out, only);
  }
  for (const Scalar& s : {start, end}) s.check_fits(out.dtype());
  dispatch_numbers(out.dtype(), "logspace_cpu", [&]<class T>(Type<T>) {
    T* data = out.data<T>();
    if constexpr (is_complex_type<T>) {
      const Spaced<T> exponents(start, end, steps);
      for (int64_t i = 0; i < steps; ++i) data[i] = pow_(T(decltype(T::re)(base)), exponents(i));
    } else {
      // Exponents are computed in double for every dtype.
      using C = typename Spaced<T>::C;
      const C first = Spaced<T>::round_range_end(start), last = Spaced<T>::round_range_end(end);
      const double step = (std::is_integral_v<T> ? double(last - first) : double(C(T(last - first)))) / double(steps - 1);
      for (int64_t i = 0; i < steps; ++i) {
        const double x = i < steps / 2 ? first + step * double(i) : last - step * double(steps - i - 1);
        data[i] = T(std::pow(base, x));
      }
    }
  });
}

Tensor make_logspace(const Scalar& start, const Scalar& end, int64_t steps, double base, std::optional<Dtype> dtype,
                     std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) {
  const SpacingOptions o = spacing_options("logspace", start, end, steps, dtype, layout, device, pin);
  if (!o.device.is_cpu() && !o.device.is_meta()) return op<"logspace">(start, end, steps, base, dtype, layout, device, pin);
  const Tensor out = empty({steps}, o.dtype, o.device);
  fill_logspace(out, start, end, steps, base);
  return out;
}
constexpr auto logspace_between_numbers = [](Scalar start, Scalar end, int64_t steps, double base, std::optional<Dtype> dtype,
                                             std::optional<Layout> layout, std::optional<Device> device,
                                             std::optional<bool> pin) -> Tensor {
  return make_logspace(start, end, steps, base, dtype, layout, device, pin);
};

constexpr auto logspace_between_tensors = [](const Tensor& start, const Tensor& end, int64_t steps, double base, std::optional<Dtype> dtype,
                                             std::optional<Layout> layout, std::optional<Device> device,
                                             std::optional<bool> pin) -> Tensor {
  device = device_of_ends("logspace", &start, &end, device);
  return make_logspace(number_of(start), number_of(end), steps, base, dtype, layout, device, pin);
};
constexpr auto logspace_from_tensor = [](const Tensor& start, Scalar end, int64_t steps, double base, std::optional<Dtype> dtype,
                                         std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  device = device_of_ends("logspace", &start, nullptr, device);
  return make_logspace(number_of(start), end, steps, base, dtype, layout, device, pin);
};
constexpr auto logspace_to_tensor = [](Scalar start, const Tensor& end, int64_t steps, double base, std::optional<Dtype> dtype,
                                       std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  device = device_of_ends("logspace", nullptr, &end, device);
  return make_logspace(start, number_of(end), steps, base, dtype, layout, device, pin);
};

MT_OP(OpDef{
    .schema = {"logspace(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor",
               "logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? "
               "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? "
               "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? "
               "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Returns `steps` powers of `base` whose exponents are evenly spaced from `start` to `end`.

Args:
    start (number or Tensor): first exponent; a tensor must have no dimensions.
    end (number or Tensor): last exponent, included.
    steps (int): how many; not negative.
    base (float): base of the powers. Default: ``10.0``.
    dtype (torch.dtype, optional): Default: the default dtype (complex for complex exponents).

Returns:
    Tensor: a vector of `steps` elements.

Raises:
    RuntimeError: when `steps` is negative or an exponent does not fit the dtype.

Example:
    >>> torch.logspace(0, 3, 4, base=2)
    tensor([1., 2., 4., 8.]))",
    .cpu = logspace_between_numbers,
    .npu = {"LogSpace(start, end, steps, base)"},
    .meta = logspace_between_numbers,
    .grad = not_differentiable,
    .out_policy = OutPolicy{.keeps_shape = true},
    .overloads = {overload("Tensor_Tensor", {.composite = logspace_between_tensors}),
                  overload("Tensor_Scalar", {.composite = logspace_from_tensor}),
                  overload("Scalar_Tensor", {.composite = logspace_to_tensor})},
});

}  // namespace
}  // namespace mt
