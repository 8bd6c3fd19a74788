// view_as_complex_copy: the elements of view_as_complex, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"view_as_complex_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies pairs of real numbers as complex numbers, in memory of its own.

Args:
    self (Tensor): float16, float32 or float64 tensor with a last dimension of size 2.

Returns:
    Tensor: a complex tensor without the last dimension.

Raises:
    RuntimeError: where ``torch.view_as_complex`` raises it.

Example:
    >>> torch.view_as_complex_copy(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1.+2.j, 3.+4.j]))",
}));

}  // namespace
}  // namespace mt
