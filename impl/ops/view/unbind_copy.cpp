// unbind_copy: what unbind shows, each piece in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"unbind_copy.int(Tensor self, int dim=0) -> Tensor[]"},
    .forms = function,
    .doc = "A copy of what unbind shows.",
}));

}  // namespace
}  // namespace mt
