// celu: max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"celu(Tensor self, Scalar alpha=1.0) -> Tensor"},
    .forms = function | inplace_function,
    .doc = "max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).",
    .composite = [](const Tensor& self, Scalar alpha) -> Tensor {
      check(alpha.to_double() != 0, "ZeroDivisionError: alpha cannot be 0 for CELU");
      return op<"elu">(self, alpha, 1.0, 1.0 / alpha.to_double());
    },
});

}  // namespace
}  // namespace mt
