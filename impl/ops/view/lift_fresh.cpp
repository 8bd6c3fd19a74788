// lift_fresh: a new constant as it is; what programs that transform tensors look for.
#include "op.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"lift_fresh(Tensor(a) self) -> Tensor(a)"},
    .forms = internal,
    .doc = "A new constant as it is.",
    .composite = [](const Tensor& self) -> Tensor { return self; },
});

}  // namespace
}  // namespace mt
