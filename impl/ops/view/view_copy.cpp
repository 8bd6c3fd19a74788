// view_copy: what view shows, in memory of its own.
#include "dispatch/out_words.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"view_copy(Tensor self, SymInt[] size) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what view shows.",
}, "reshape"));
MT_OP(copied_view(OpDef{
    .schema = {"view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of the same bytes read as another dtype.",
}));

MT_OUT("view_copy", .recorded_as = "aten::view_copy");

}  // namespace
}  // namespace mt
