// maximum: the larger of two elements, NaN if either is.
#include "rules/algebra.h"
#include "rules/checked.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto maximum_of = [](auto a, auto b) { return a >= b || isnan_(a) ? a : b; };  // b where it alone is NaN

MT_OP(OpDef{
    .schema = {"maximum(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "The larger of two elements; NaN where either is NaN.",
    .rule = pointwise(promoting),
    .cpu = choose([](const Call& c) -> const PointwiseKernel* {
      static const PointwiseKernel kernel = with_halves<maximum_of, 2>(elementwise<maximum_of, 2, dtypes::real_and_bool>("maximum_cpu"));
      refuse_complex<"maximum not implemented for complex tensors.">(c);
      return &kernel;
    }),
    .npu = {"Maximum"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> a, In<"other"> b) { return op<"where">(op<"eq">(a, b), g / 2, op<"where">(op<"lt">(a, b), 0, g)); }),
             wrt("other", [](Grad g, In<"self"> a,
                             In<"other"> b) { return op<"where">(op<"eq">(a, b), g / 2, op<"where">(op<"gt">(a, b), 0, g)); })},
});

}  // namespace
}  // namespace mt
