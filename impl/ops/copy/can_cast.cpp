// can_cast: whether values of `from_` may be stored in a tensor of dtype `to`.
#include "definition/op.h"
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"can_cast(ScalarType from_, ScalarType to) -> bool"},
    .forms = function,
    .doc = R"(Returns whether values of dtype `from_` may be stored in a tensor of dtype `to`.

It is the rule of in-place operators and of `out`: complex numbers need a complex dtype, floating
ones a floating or complex one, and only bools go into bool. Sizes and signs do not count: int64 may
go into uint8.

Args:
    from_ (torch.dtype): dtype of the values.
    to (torch.dtype): dtype to store them in.

Returns:
    bool: whether the cast is allowed.

Example:
    >>> torch.can_cast(torch.int64, torch.float16), torch.can_cast(torch.float32, torch.int32)
    (True, False))",
    .composite = [](Dtype from_, Dtype to) -> bool { return can_cast(from_, to); },
});

}  // namespace
}  // namespace mt
