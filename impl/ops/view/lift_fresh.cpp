// lift_fresh: returns a new constant unchanged; programs that transform tensors intercept it.
#include "definition/op.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"lift_fresh(Tensor(a) self) -> Tensor(a)"},
    .forms = internal,
    .doc = "Returns a new constant as it is; transforms of programs recognise constants by it.",
    .view = [](const Tensor& self) -> Tensor { return self; },
    .grad = not_differentiable,
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
