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
      Tensor out = op<"softmax">(self, dim, dtype);
      Tensor masked_rows = op<"all">(op<"eq">(self, -__builtin_inf()), dim, true);
      return op<"where">(masked_rows, op<"zeros">(IntList(), out.dtype(), nullptr, out.device()), out);
    },
});

}  // namespace
}  // namespace mt
