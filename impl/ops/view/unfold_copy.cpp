// unfold_copy: what unfold shows, in memory of its own.
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what unfold shows.",
}));

}  // namespace
}  // namespace mt
