// is_distributed: always false: tensors of this library are not distributed over processes.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_distributed(Tensor self) -> bool"},
    .forms = function | method,
    .doc = R"(Returns ``False``: no tensor is spread over processes.

It exists for programs that ask. ``torch.distributed`` keeps a tensor for each process.

Args:
    self (Tensor): any tensor.

Returns:
    bool: ``False``.

Example:
    >>> torch.is_distributed(torch.zeros(1))
    False)",
    .composite = [](const Tensor&) -> bool { return false; },
});

}  // namespace
}  // namespace mt
