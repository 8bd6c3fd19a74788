// permute_copy: what permute shows, in memory of its own.
#include "dispatch/out_words.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"permute_copy(Tensor self, int[] dims) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what permute shows.",
}));

MT_OUT("permute_copy", .recorded_as = "aten::permute_copy");

}  // namespace
}  // namespace mt
