// trapezoid, trapz, cumulative_trapezoid: integrals by the trapezoidal rule.
#include "core/messages.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

Tensor all_but_last(const Tensor& t, int64_t dim) { return op<"slice.Tensor">(t, dim, 0, -1); }
Tensor all_but_first(const Tensor& t, int64_t dim) { return op<"slice.Tensor">(t, dim, 1, std::nullopt); }

void check_real_step(const char* name, const Scalar& dx) {
  check(!dx.is_complex() && !dx.is_bool(), "{}: Currently, we only support dx as a real number.", name);
}
void check_no_bool(const char* name, const Tensor& y) {
  check(y.dtype() != Dtype::boolean, "{}: received a bool input for `y`, but bool is not supported", name);
}
void check_no_bool(const char* name, const Tensor& y, const Tensor& x) {
  check(y.dtype() != Dtype::boolean && x.dtype() != Dtype::boolean, "{}: received a bool input for `x` or `y`, but bool is not supported",
        name);
}
// The differences of sample points. 1-d points are along `dim`, whatever y's shape; with more dimensions they broadcast.
Tensor compute_steps(const char* name, const Tensor& y, const Tensor& x, int64_t dim) {
  Dims sizes(y.dim(), 1);
  Tensor points = x;
  if (x.dim() == 1) {
    check(x.size(0) == y.size(dim), "{}: There must be one `x` value for each sample point", name);
    sizes[dim] = x.size(0);
    points = op<"view">(x, IntList(sizes));
  } else if (x.dim() < y.dim()) {
    for (int64_t d = 0; d < x.dim(); ++d) sizes[y.dim() - x.dim() + d] = x.size(d);
    points = op<"view">(x, IntList(sizes));
  }
  return all_but_first(points, dim) - all_but_last(points, dim);
}
int64_t wrap_trapezoid_dim(const Tensor& y, int64_t dim) {
  check(y.dim() > 0, ErrorKind::index, messages::dim_of_scalar_tensor, dim);
  return wrap_dim(dim, y.dim());
}
Tensor make_empty_integral(const Tensor& y, int64_t dim) {
  Dims sizes(y.sizes());
  sizes.erase(dim);
  return op<"zeros">(sizes, y.dtype(), nullptr, y.device());
}

constexpr auto trapezoid_over_x = [](const Tensor& y, const Tensor& x, int64_t given) -> Tensor {
  const int64_t dim = wrap_trapezoid_dim(y, wrap_dim(given, y.dim()));
  if (y.size(dim) == 0) return make_empty_integral(y, dim);
  check_no_bool("trapezoid", y, x);
  const Tensor dx = compute_steps("trapezoid", y, x, dim);
  return op<"sum.dim_IntList">((all_but_last(y, dim) + all_but_first(y, dim)) * dx, IntList{dim}) / 2.0;
};
constexpr auto trapezoid_with_dx = [](const Tensor& y, Scalar dx, int64_t given) -> Tensor {
  const int64_t dim = wrap_trapezoid_dim(y, given);
  if (y.size(dim) == 0) return make_empty_integral(y, dim);
  check_no_bool("trapezoid", y);
  check_real_step("trapezoid", dx);
  const Tensor ends = (op<"select">(y, dim, 0) + op<"select">(y, dim, -1)) * 0.5;
  return (op<"sum.dim_IntList">(y, IntList{dim}) - ends) * dx.to_double();
};

MT_OP(OpDef{
    .schema = {"trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", "trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor"},
    .forms = function,
    .doc = R"(Integrates samples along a dimension by the trapezoidal rule.

It sums ``(x[i + 1] - x[i]) * (y[i] + y[i + 1]) / 2``, or the same with a constant distance `dx`.

Args:
    y (Tensor): samples; not bool.
    x (Tensor, optional): their coordinates: a vector for all lines, or a tensor that broadcasts
        with `y`.
    dx (number): distance of samples where there is no `x`; real. Default: ``1``.
    dim (int): dimension; negative counts from the last. Default: ``-1``.

Returns:
    Tensor: integrals, without `dim`; a floating dtype where `y` has integers.

Raises:
    RuntimeError: when a tensor is bool, `dx` is complex, or `x` has another number of samples.

Example:
    >>> y = torch.tensor([1.0, 5.0, 10.0])
    >>> torch.trapezoid(y), torch.trapezoid(y, torch.tensor([0.0, 1.0, 3.0]))
    (tensor(10.5000), tensor(18.)))",
    .composite = trapezoid_over_x,
    .overloads = {overload("dx", {.composite = trapezoid_with_dx})},
});
MT_OP(OpDef{
    .schema = {"trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", "trapz.dx(Tensor y, *, float dx=1, int dim=-1) -> Tensor"},
    .forms = function,
    .doc = R"(Integrates samples along a dimension by the trapezoidal rule; the older name of ``torch.trapezoid``.

Args:
    y (Tensor): samples; not bool.
    x (Tensor, optional): their coordinates: a vector for all lines, or a tensor that broadcasts
        with `y`.
    dx (float): distance of samples where there is no `x`. Default: ``1``.
    dim (int): dimension; negative counts from the last. Default: ``-1``.

Returns:
    Tensor: integrals, without `dim`.

Example:
    >>> torch.trapz(torch.tensor([1.0, 5.0, 10.0]), dx=2)
    tensor(21.))",
    .composite = trapezoid_over_x,
    .overloads = {overload("dx",
                           {.composite = [](const Tensor& y, double dx, int64_t dim) -> Tensor { return trapezoid_with_dx(y, dx, dim); }})},
});

constexpr auto cumulative_trapezoid_over_x = [](const Tensor& y, const Tensor& x, int64_t given) -> Tensor {
  const int64_t dim = wrap_dim(given, y.dim());
  check_no_bool("cumulative_trapezoid", y, x);
  const Tensor dx = y.dim() ? compute_steps("cumulative_trapezoid", y, x, dim) : x;
  return op<"cumsum">((all_but_last(y, dim) + all_but_first(y, dim)) * dx, dim) / 2.0;
};
constexpr auto cumulative_trapezoid_with_dx = [](const Tensor& y, Scalar dx, int64_t given) -> Tensor {
  const int64_t dim = wrap_dim(given, y.dim());
  check_no_bool("cumulative_trapezoid", y);
  check_real_step("cumulative_trapezoid", dx);
  return op<"cumsum">((all_but_last(y, dim) + all_but_first(y, dim)) * (dx.to_double() / 2), dim);
};

MT_OP(OpDef{
    .schema = {"cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor",
               "cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor"},
    .forms = function,
    .doc = R"(Integrates samples cumulatively along a dimension by the trapezoidal rule.

Element k is the integral over the first ``k + 2`` samples.

Args:
    y (Tensor): samples; not bool.
    x (Tensor, optional): their coordinates: a vector for all lines, or a tensor that broadcasts
        with `y`.
    dx (number): distance of samples where there is no `x`; real. Default: ``1``.
    dim (int): dimension; negative counts from the last. Default: ``-1``.

Returns:
    Tensor: running integrals; `dim` is shorter by one.

Raises:
    RuntimeError: when a tensor is bool, `dx` is complex, or `x` has another number of samples.

Example:
    >>> torch.cumulative_trapezoid(torch.tensor([1.0, 5.0, 10.0]))
    tensor([ 3.0000, 10.5000]))",
    .composite = cumulative_trapezoid_over_x,
    .overloads = {overload("dx", {.composite = cumulative_trapezoid_with_dx})},
});

}  // namespace
}  // namespace mt
