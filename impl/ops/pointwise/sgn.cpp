// sgn: the sign of each element; x / |x| for complex ones.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto sgn_of = [](auto x) {
  using T = decltype(x);
  if constexpr (is_complex_type<T>) {
    auto length = abs_(x);
    return length == 0 ? T(0) : T(x.re / length, x.im / length);
  } else if constexpr (std::is_same_v<T, bool>) {
    return x;
  } else {
    return T((T(0) < x) - (x < T(0)));
  }
};

MT_OP(OpDef{
    .schema = {"sgn(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes the sign of each element; for complex numbers the direction x / |x|.

0 and NaN give 0 for real tensors; a complex 0 gives 0. The gradient is 0 for real tensors; for
complex ones it is the part of the incoming gradient across the direction, divided by |x|, and 0
at 0.

Args:
    self (Tensor): any shape and dtype.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.sgn(torch.tensor([3 + 4j, 0j, -2 + 0j]))
    tensor([ 0.6000+0.8000j,  0.0000+0.0000j, -1.0000+0.0000j]))",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<sgn_of, 1, dtypes::all | dtypes::complex_half>("sgn_cpu"),
    .npu = {"Sign"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y) {
                   if (!is_complex(x.dtype())) return op<"zeros_like">(g);
                   Tensor length = op<"abs">(x);
                   return zero_where_false(op<"ne">(length, 0), (g - op<"real">(g * conj(y)) * y) / length);
                 })},
});

}  // namespace
}  // namespace mt
