// squeeze_copy: what squeeze shows, in memory of its own.
#include "dispatch/out_words.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"squeeze_copy(Tensor self) -> Tensor",
               "squeeze_copy.dim(Tensor self, int dim) -> Tensor",
               "squeeze_copy.dims(Tensor self, int[] dim) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what squeeze shows.",
}));

MT_OUT("squeeze_copy", .recorded_as = "aten::squeeze_copy");

}  // namespace
}  // namespace mt
