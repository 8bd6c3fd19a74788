// detach_copy: what detach shows, in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"detach_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what detach shows.",
}));

}  // namespace
}  // namespace mt
