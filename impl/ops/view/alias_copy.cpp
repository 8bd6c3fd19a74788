// alias_copy: what alias shows, in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"alias_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what alias shows.",
}));

}  // namespace
}  // namespace mt
