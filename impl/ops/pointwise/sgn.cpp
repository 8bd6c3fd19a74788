// sgn: the sign of each element; x / |x| for complex ones.
#include "rules/algebra.h"
#include "rules/checked.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"
#include "rules/sparse.h"

namespace mt {
namespace {

constexpr auto direction = [](auto x) {
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
    .doc = "The sign of each element; for complex numbers the direction x / |x|.",
    .rule = after(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<direction, 1, dtypes::all>("sgn_cpu"),
    .npu = {"Sign"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) {
      if (!is_complex(x.dtype())) return op<"zeros_like">(g);
      Tensor length = op<"abs">(x);
      return masked(op<"ne">(length, 0), (g - op<"real">(g * conj(y)) * y) / length);
    })},
});

}  // namespace
}  // namespace mt
