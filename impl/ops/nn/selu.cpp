// selu: elu scaled to keep mean and variance (Klambauer et al. 2017).
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"selu(Tensor self) -> Tensor"},
    .forms = function | inplace_function,
    .doc = "elu scaled to keep mean and variance (Klambauer et al. 2017).",
    .composite = [](const Tensor& self) -> Tensor {
      return op<"elu">(self, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1.0);
    },
});

}  // namespace
}  // namespace mt
