// unsqueeze_copy: what unsqueeze shows, in memory of its own.
#include "dispatch/out_words.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"unsqueeze_copy(Tensor self, int dim) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what unsqueeze shows.",
}));

MT_OUT("unsqueeze_copy", .recorded_as = "aten::unsqueeze_copy");

}  // namespace
}  // namespace mt
