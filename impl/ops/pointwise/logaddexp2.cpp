// logaddexp2: log2(2^self + 2^other) without overflow.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto logaddexp2_of = [](auto a, auto b) __attribute__((always_inline)) {
  using T = decltype(a);
  const T m = a < b ? b : a;
  return select_((abs_(a) == T(__builtin_inf())) & (a == b), a, m + log1p_(exp2_(-abs_(a - b))) * T(1.4426950408889634));
};

MT_OP(OpDef{
    .schema = {"logaddexp2(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes log2(2^`self` + 2^`other`), element by element, without overflow.

As `torch.logaddexp` with powers of two. The tensors broadcast and their dtypes are promoted.

Args:
    self, other (Tensor): floating.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.logaddexp2(torch.tensor([0.0, 1000.0]), torch.tensor([0.0, 1000.0]))
    tensor([1.0000e+00, 1.0010e+03]))",
    .rule = pointwise(promoting),
    .cpu = elementwise<logaddexp2_of, 2, dtypes::floating>("logaddexp2_cpu"),
    .npu = {"LogAddExp2"},
    .grad = {wrt("self", [](Grad g, In<"self"> a, In<"other"> b) { return g / (op<"exp2">(b - a) + 1); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return g / (op<"exp2">(a - b) + 1); })},
});

}  // namespace
}  // namespace mt
