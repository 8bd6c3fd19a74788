// resolve_conj: the tensor itself, or a copy with the pending conjugation carried out.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"resolve_conj(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = "The tensor itself, or a copy with the pending conjugation carried out.",
    .composite = [](const Tensor& self) -> Tensor { return self.is_conj() ? op<"clone">(self) : self; },
});

}  // namespace
}  // namespace mt
