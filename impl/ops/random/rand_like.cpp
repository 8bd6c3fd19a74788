// rand_like: uniform numbers from [0, 1) in the shape of a tensor.
#include "rules/random/random.h"

namespace mt {
namespace {

using Numbers = StandardNumbers<fill_with_uniform_numbers>;

MT_OP(OpDef{
    .schema = {"rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
               "MemoryFormat? memory_format=None) -> Tensor",
               "rand_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = R"(Draws numbers from the uniform distribution over [0, 1), in the shape of a tensor.

The numbers come from the generator's stream, so a seed gives the same ones on every run.

Args:
    self (Tensor): tensor whose shape, dtype and device are taken.
    dtype (torch.dtype, optional): a floating or complex dtype. Default: that of `self`.

Returns:
    Tensor: a new tensor in the shape of `self`.

Example:
    >>> x = torch.rand_like(torch.zeros(2, 3))
    >>> x.shape, ((0 <= x) & (x < 1)).all()
    (torch.Size([2, 3]), tensor(True)))",
    .traits = MT_OP_RANDOM,
    .cpu = Numbers::made_like_by_default,
    .npu = {any_device},
    .meta = Numbers::made_like_by_default,
    .grad = not_differentiable,
    .overloads = {overload("generator", {.cpu = Numbers::made_like, .npu = {any_device}, .meta = Numbers::made_like})},
});

}  // namespace
}  // namespace mt
