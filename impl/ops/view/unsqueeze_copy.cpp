// unsqueeze_copy: what unsqueeze shows, in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"unsqueeze_copy(Tensor self, int dim) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what unsqueeze shows.",
}));

}  // namespace
}  // namespace mt
