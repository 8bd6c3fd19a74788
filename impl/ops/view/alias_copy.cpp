// alias_copy: what alias shows, in memory of its own.
#include "dispatch/out_words.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"alias_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what alias shows.",
}));

MT_OUT("alias_copy", .recorded_as = "aten::alias_copy");

}  // namespace
}  // namespace mt
