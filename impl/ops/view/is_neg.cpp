// is_neg: whether the tensor is a lazy negative.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_neg(Tensor self) -> bool"},
    .forms = function | method,
    .doc = "Whether the tensor is a lazy negative.",
    .composite = [](const Tensor& self) -> bool { return self.is_neg(); },
});

}  // namespace
}  // namespace mt
