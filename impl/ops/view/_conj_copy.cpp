// _conj_copy: what _conj shows, in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"_conj_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what _conj shows.",
}));

}  // namespace
}  // namespace mt
