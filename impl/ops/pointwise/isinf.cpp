// isinf, isfinite: whether each element is infinite, or finite.
#include "rules/form/algebra.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto isinf_of = [](auto x) {
  using T = decltype(x);
  if constexpr (is_complex_type<T>)
    return __builtin_isinf(x.re) || __builtin_isinf(x.im);
  else if constexpr (std::is_floating_point_v<T>)
    return abs_(x) == T(__builtin_inf());
  else
    return false;
};

constexpr auto isfinite_of = [](auto x) { return !isinf_of(x) && !isnan_(x); };

constexpr Dtypes float8_with_infinities{dtype_bit(Dtype::float8_e5m2)};

MT_OP(OpDef{
    .schema = {"isinf(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Tests each element for infinity of either sign.

Complex numbers are infinite where a part is; integers and bool never.

Args:
    self (Tensor): any shape and dtype.

Returns:
    Tensor: bool, with the shape of `self`.

Example:
    >>> torch.isinf(torch.tensor([1.0, float("inf"), -float("inf"), float("nan")]))
    tensor([False,  True,  True, False]))",
    .rule = pointwise(promoting),
    .cpu = elementwise<isinf_of, 1, dtypes::all | dtypes::complex_half | float8_with_infinities>("isinf_cpu"),
    .npu = {"IsInf"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = not_differentiable,
    .out_policy = OutPolicy{.takes_strides = true},
});

MT_OP(OpDef{
    .schema = {"isfinite(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Tests each element for being neither infinite nor NaN.

Complex numbers are finite where both parts are; integers and bool always.

Args:
    self (Tensor): any shape and dtype.

Returns:
    Tensor: bool, with the shape of `self`.

Example:
    >>> torch.isfinite(torch.tensor([1.0, float("inf"), float("nan")]))
    tensor([ True, False, False]))",
    .rule = pointwise(promoting),
    .cpu = elementwise<isfinite_of, 1, dtypes::all | dtypes::complex_half | float8_with_infinities>("isfinite_cpu"),
    .npu = {"IsFinite"},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
