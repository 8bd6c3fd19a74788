// resolve_neg: the tensor itself, or a copy with the pending negation carried out.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"resolve_neg(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "The tensor itself, or a copy with the pending negation carried out.",
    .composite = [](const Tensor& self) -> Tensor { return self.is_neg() ? op<"clone">(self) : self; },
});

}  // namespace
}  // namespace mt
