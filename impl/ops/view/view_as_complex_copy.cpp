// view_as_complex_copy: what view_as_complex shows, in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"view_as_complex_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what view_as_complex shows.",
}));

}  // namespace
}  // namespace mt
