// _conj_copy: the elements of _conj, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"_conj_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "Returns a copy whose elements are what ``_conj`` shows: the conjugates, in memory of their own.",
}));

}  // namespace
}  // namespace mt
