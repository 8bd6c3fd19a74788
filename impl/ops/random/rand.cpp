// rand: uniform numbers from [0, 1).
#include "rules/random/random.h"

namespace mt {
namespace {

using Numbers = StandardNumbers<fill_with_uniform_numbers>;

MT_OP(OpDef{
    .schema = {"rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
               "bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Draws numbers from the uniform distribution over [0, 1), in a given shape.

The numbers come from the generator's stream, so a seed gives the same ones on every run.

Args:
    size (int...): sizes, as separate numbers or one tuple.
    dtype (torch.dtype, optional): a floating dtype, or a complex one for both parts. Default: the
        default dtype.

Returns:
    Tensor: a new tensor of shape `size`.

Example:
    >>> g = torch.Generator().manual_seed(0)
    >>> torch.rand(2, generator=g)
    tensor([0.4963, 0.7682]))",
    .traits = MT_OP_RANDOM,
    .cpu = Numbers::made_by_default,
    .npu = {any_device},
    .meta = Numbers::made_by_default,
    .overloads = {overload("generator", {.cpu = Numbers::made, .npu = {any_device}, .meta = Numbers::made})},
});

}  // namespace
}  // namespace mt
