// split_with_sizes_copy: what split_with_sizes shows, each piece in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]"},
    .forms = function,
    .doc = "A copy of what split_with_sizes shows.",
}));

}  // namespace
}  // namespace mt
