// slice_copy: what slice shows, in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what slice shows.",
}));

}  // namespace
}  // namespace mt
