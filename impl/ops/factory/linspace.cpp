// linspace: evenly spaced numbers, ends included.
#include "core/dispatch_dtype.h"
#include "core/exception.h"
#include "rules/factory.h"

namespace mt {
namespace {

Tensor spaced(const Scalar& start, const Scalar& end, int64_t steps, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) {
  bool complex = start.is_complex() || end.is_complex();
  NewOptions o = new_options(dtype, layout, device, pin, complex ? complex_of(default_dtype()) : default_dtype());
  check(steps >= 0, "number of steps must be non-negative");
  Tensor out = empty({steps}, o.dtype, o.device);
  if (out.is_meta()) return out;
  dispatch_numbers(o.dtype, "linspace_cpu", [&]<class T>(Type<T>) {
    T* data = out.data<T>();
    if constexpr (is_complex_type<T>) {
      T a(start.to_complex()), b(end.to_complex());
      T step = (b - a) / T(decltype(T::re)(steps > 1 ? steps - 1 : 1));
      for (int64_t i = 0; i < steps; ++i)
        data[i] = i < steps / 2 ? a + step * T(decltype(T::re)(i)) : b - step * T(decltype(T::re)(steps - i - 1));
    } else {
      using C = std::conditional_t<std::is_integral_v<T>, double, ComputeType<T>>;
      if constexpr (std::is_integral_v<T>) {
        int64_t a = start.to_int(), b = end.to_int();
        C step = steps > 1 ? (C(b) - C(a)) / C(steps - 1) : C(0);
        for (int64_t i = 0; i < steps; ++i) data[i] = i < steps / 2 ? T(C(a) + step * C(i)) : T(C(b) - step * C(steps - i - 1));
      } else {
        // From the nearer end, so that both ends are exact.
        C a = C(T(C(start.to_double()))), b = C(T(C(end.to_double())));
        C step = steps > 1 ? (b - a) / C(steps - 1) : C(0);
        for (int64_t i = 0; i < steps; ++i) data[i] = T(i < steps / 2 ? a + step * C(i) : b - step * C(steps - i - 1));
      }
    }
  });
  if (steps == 1) fill_with(out, start);
  return out;
}
constexpr auto run = [](Scalar start, Scalar end, int64_t steps, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) { return spaced(start, end, steps, dtype, layout, device, pin); };

MT_OP(OpDef{
    .schema = {"linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = "`steps` numbers from `start` to `end`, evenly spaced.",
    .cpu = run,
    .meta = run,
});

// The ends as tensors without dimensions; gradients do not flow through them.
constexpr auto between = [](const Value& start, const Value& end, int64_t steps, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                            std::optional<bool> pin) -> Tensor {
  const Tensor a = detail::tensor_of(start), b = detail::tensor_of(end);
  std::string dims = a.dim() ? text(" start with {} dimension(s)", a.dim()) : "";
  if (b.dim()) dims += text("{} end with {} dimension(s)", a.dim() ? " and" : "", b.dim());
  check(dims.empty(), "linspace only supports 0-dimensional start and end tensors, but got{}.", dims);
  if (!device && start.tag == MT_TAG_TENSOR) device = a.device();
  if (!device && end.tag == MT_TAG_TENSOR) device = b.device();
  BelowAutograd guard;
  auto number = [](const Tensor& t) {
    if (t.is_meta()) return Scalar(0);
    const Tensor plain = op<"resolve_neg">(op<"resolve_conj">(t));
    return Scalar::load(plain.dtype(), plain.data());
  };
  if (!dtype && (is_complex(a.dtype()) || is_complex(b.dtype()))) dtype = complex_of(default_dtype());
  return spaced(number(a), number(b), steps, dtype, layout, device, pin);
};
MT_OP(OpDef{
    .schema = {"linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = "As linspace, between tensors without dimensions.",
    .composite = between,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
