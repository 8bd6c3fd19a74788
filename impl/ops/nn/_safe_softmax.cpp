// _safe_softmax: softmax with zeros, not NaN, for rows that are all -inf.
#include <cmath>
#include "core/options.h"
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"},
    .forms = function,
    .doc = "softmax with zeros, not NaN, for rows that are all -inf.",
    .composite = [](const Tensor& self, int64_t dim, std::optional<Dtype> dtype) -> Tensor {
      // Such rows become zeros first: no NaN reaches the gradients.
      const Tensor masked_rows = op<"all">(op<"eq">(self, -__builtin_inf()), dim, true);
      const Tensor out = op<"softmax">(op<"masked_fill">(self, masked_rows, 0), dim, dtype);
      return op<"masked_fill">(out, masked_rows, 0);
    },
});

}  // namespace
}  // namespace mt
