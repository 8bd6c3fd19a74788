// atleast_1d: a tensor with at least one dimension.
#include <vector>
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"atleast_1d(Tensor self) -> Tensor"},
    .forms = function,
    .doc = "A tensor with at least one dimension.",
    .composite = [](const Tensor& t) -> Tensor { return t.dim() ? t : op<"reshape">(t, IntList{1}); },
});

}  // namespace
}  // namespace mt
