// rand: uniform numbers from [0, 1).
#include "rules/random.h"

namespace mt {
namespace {

using Numbers = StandardNumbers<fill_with_uniform_numbers>;

MT_OP(OpDef{
    .schema = {"rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
               "bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = "Uniform numbers from [0, 1).",
    .traits = MT_OP_RANDOM,
    .cpu = Numbers::made_by_default,
    .npu = {any_device},
    .meta = Numbers::made_by_default,
    .overloads = {overload("generator", {.cpu = Numbers::made, .npu = {any_device}, .meta = Numbers::made})},
});

}  // namespace
}  // namespace mt
