// _neg_view_copy: the elements of _neg_view, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"_neg_view_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "Returns a copy whose elements are what ``_neg_view`` shows: the negatives, in memory of their own.",
}));

}  // namespace
}  // namespace mt
