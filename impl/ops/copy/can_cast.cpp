// can_cast: whether values of `from_` may be stored in a tensor of dtype `to`.
#include "op.h"
#include "rules/pointwise.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"can_cast(ScalarType from_, ScalarType to) -> bool"},
    .forms = function,
    .doc = "Whether values of `from_` may be stored in a tensor of dtype `to`.",
    .composite = [](Dtype from_, Dtype to) -> bool { return can_cast(from_, to); },
});

}  // namespace
}  // namespace mt
