// transpose_copy: what transpose shows, in memory of its own.
#include "dispatch/out_words.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what transpose shows.",
}));

MT_OUT("transpose_copy", .recorded_as = "aten::transpose_copy");

}  // namespace
}  // namespace mt
