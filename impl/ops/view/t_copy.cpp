// t_copy: what t shows, in memory of its own.
#include "dispatch/out_words.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"t_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what t shows.",
}));

MT_OUT("t_copy", .recorded_as = "aten::t_copy");

}  // namespace
}  // namespace mt
