// is_conj: whether the tensor is a lazy conjugate.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_conj(Tensor self) -> bool"},
    .forms = function | method,
    .doc = "Whether the tensor is a lazy conjugate.",
    .composite = [](const Tensor& self) -> bool { return self.is_conj(); },
});

}  // namespace
}  // namespace mt
