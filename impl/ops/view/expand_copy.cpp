// expand_copy: what expand shows, in memory of its own.
#include "dispatch/out_words.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what expand shows.",
}));

MT_OUT("expand_copy", .recorded_as = "aten::expand_copy");

}  // namespace
}  // namespace mt
