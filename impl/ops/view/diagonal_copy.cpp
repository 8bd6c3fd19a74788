// diagonal_copy: what diagonal shows, in memory of its own.
#include "dispatch/out_words.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what diagonal shows.",
}));

MT_OUT("diagonal_copy", .recorded_as = "aten::diagonal_copy");

}  // namespace
}  // namespace mt
