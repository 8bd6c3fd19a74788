// atleast_2d: a tensor with at least two dimensions.
#include <vector>
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"atleast_2d(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "A tensor with at least two dimensions.",
    .composite = [](const Tensor& t) -> Tensor { return t.dim() == 0 ? op<"reshape">(t, IntList{1, 1}) : t.dim() == 1 ? op<"unsqueeze">(t, 0) : t; },
});

}  // namespace
}  // namespace mt
