// minimum: the smaller of two elements, NaN if either is.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/form/chosen_tangent.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto minimum_of = [](auto a, auto b) { return a <= b || isnan_(a) ? a : b; };  // b if only b is NaN

MT_OP(OpDef{
    .schema = {"minimum(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the smaller of two elements; NaN where either is NaN.

The tensors broadcast and their dtypes are promoted. Complex tensors are refused. Equal elements
share the gradient in halves. For NaN as missing numbers see `torch.fmin`.

Args:
    self, other (Tensor): any real dtype or bool.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.minimum(torch.tensor([1.0, 5.0, float("nan")]), torch.tensor([3.0, 4.0, 1.0]))
    tensor([1., 4., nan]))",
    .rule = pointwise(promoting),
    .cpu = choose([](const Call& c) -> const PointwiseKernel* {
      static const PointwiseKernel kernel = with_halves<minimum_of, 2>(elementwise<minimum_of, 2, dtypes::real_and_bool>("minimum_cpu"));
      refuse_complex<"minimum not implemented for complex tensors.">(c);
      return &kernel;
    }),
    .npu = {"Minimum"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> a, In<"other"> b) { return op<"where">(op<"eq">(a, b), g / 2, op<"where">(op<"gt">(a, b), 0, g)); }),
             wrt("other", [](Grad g, In<"self"> a,
                             In<"other"> b) { return op<"where">(op<"eq">(a, b), g / 2, op<"where">(op<"lt">(a, b), 0, g)); })},
    .jvp = forward([](Tangent<"self"> at, Tangent<"other"> bt, In<"self"> a, In<"other"> b) {
      return chosen_tangent(op<"lt">(a, b), op<"eq">(a, b), at, bt);
    }),
});

}  // namespace
}  // namespace mt
