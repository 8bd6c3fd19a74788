// permute_copy: what permute shows, in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"permute_copy(Tensor self, int[] dims) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what permute shows.",
}));

}  // namespace
}  // namespace mt
