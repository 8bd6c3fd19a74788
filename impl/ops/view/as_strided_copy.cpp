// as_strided_copy: what as_strided shows, in memory of its own.
#include "dispatch/out_words.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what as_strided shows.",
}));

MT_OUT("as_strided_copy", .recorded_as = "aten::as_strided_copy");

}  // namespace
}  // namespace mt
