// promote_types: the smallest dtype of at least the category and size of both.
#include "definition/op.h"
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"promote_types(ScalarType type1, ScalarType type2) -> ScalarType"},
    .forms = function,
    .doc = R"(Returns the smallest dtype of at least the kind and size of both.

The kinds are bool, integer, floating and complex, in this order: int64 and float16 give float16.
uint8 and int8 give int16, bfloat16 and float16 give float32.

Args:
    type1 (torch.dtype): one dtype.
    type2 (torch.dtype): the other.

Returns:
    torch.dtype: the promoted dtype.

Example:
    >>> torch.promote_types(torch.int32, torch.float32)
    torch.float32
    >>> torch.promote_types(torch.uint8, torch.int8)
    torch.int16)",
    .composite = [](Dtype type1, Dtype type2) -> Dtype { return promote(type1, type2); },
});

}  // namespace
}  // namespace mt
