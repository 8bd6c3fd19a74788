// split_copy: what split shows, each piece in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]"},
    .forms = function,
    .doc = "A copy of what split shows.",
}));

}  // namespace
}  // namespace mt
