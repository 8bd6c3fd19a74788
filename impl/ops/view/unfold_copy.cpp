// unfold_copy: what unfold shows, in memory of its own.
#include "dispatch/out_words.h"
#include "rules/view_copy.h"

namespace mt {
namespace {

MT_OP(copied_view(OpDef{
    .schema = {"unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor"},
    .forms = function | out,
    .doc = "A copy of what unfold shows.",
}));

MT_OUT("unfold_copy", .recorded_as = "aten::unfold_copy");

}  // namespace
}  // namespace mt
