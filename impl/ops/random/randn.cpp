// randn: normal numbers with mean 0 and variance 1.
#include "rules/random/random.h"

namespace mt {
namespace {

using Numbers = StandardNumbers<fill_with_normal_numbers>;

MT_OP(OpDef{
    .schema = {"randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
               "randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
               "bool? pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Draws normal numbers of mean 0 and variance 1, in a given shape.

Complex numbers have variance 1/2 in each part. The numbers come from the generator's stream, so a
seed gives the same ones on every run.

Args:
    size (int...): sizes, as separate numbers or one tuple.
    dtype (torch.dtype, optional): a floating or complex dtype. Default: the default dtype.

Returns:
    Tensor: a new tensor of shape `size`.

Example:
    >>> g = torch.Generator().manual_seed(0)
    >>> torch.randn(2, generator=g)
    tensor([ 1.5410, -0.2934]))",
    .traits = MT_OP_RANDOM,
    .cpu = Numbers::made_by_default,
    .npu = {any_device},
    .meta = Numbers::made_by_default,
    .overloads = {overload("generator", {.cpu = Numbers::made, .npu = {any_device}, .meta = Numbers::made})},
});

constexpr auto make_in = [](IntList size, Generator* generator, const Tensor& out) -> Tensor {
  op<"resize_">(out, size);
  return op<"normal_">(out, 0.0, 1.0, generator);
};
MT_OP(OpDef{
    .schema = {"randn.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)",
               "randn.generator_out(SymInt[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Draws normal numbers of mean 0 and variance 1 into `out`.",
    .traits = MT_OP_RANDOM,
    .composite = [](IntList size, const Tensor& out) -> Tensor { return make_in(size, nullptr, out); },
    .out_policy = OutPolicy{.refused_inside = true},
    .overloads = {overload("generator_out", {.composite = make_in})},
});

}  // namespace
}  // namespace mt
