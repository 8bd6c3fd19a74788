// is_floating_point: whether the dtype is a floating one.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_floating_point(Tensor self) -> bool"},
    .forms = function | method,
    .doc = "Whether the dtype is a floating one.",
    .composite = [](const Tensor& self) -> bool { return is_floating(self.dtype()); },
});

}  // namespace
}  // namespace mt
