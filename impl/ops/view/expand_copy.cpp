// expand_copy: what expand shows, in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what expand shows.",
}));

}  // namespace
}  // namespace mt
