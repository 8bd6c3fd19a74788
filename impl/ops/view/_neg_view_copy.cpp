// _neg_view_copy: what _neg_view shows, in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"_neg_view_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what _neg_view shows.",
}));

}  // namespace
}  // namespace mt
