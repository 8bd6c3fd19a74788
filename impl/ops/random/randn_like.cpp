// randn_like: normal numbers in the shape of a tensor.
#include "rules/random/random.h"

namespace mt {
namespace {

using Numbers = StandardNumbers<fill_with_normal_numbers>;

MT_OP(OpDef{
    .schema = {"randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
               "MemoryFormat? memory_format=None) -> Tensor",
               "randn_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = R"(Draws normal numbers of mean 0 and variance 1, in the shape of a tensor.

The numbers come from the generator's stream, so a seed gives the same ones on every run.

Args:
    self (Tensor): tensor whose shape, dtype and device are taken.
    dtype (torch.dtype, optional): a floating or complex dtype. Default: that of `self`.

Returns:
    Tensor: a new tensor in the shape of `self`.

Example:
    >>> torch.randn_like(torch.zeros(2, 3)).shape
    torch.Size([2, 3]))",
    .traits = MT_OP_RANDOM,
    .cpu = Numbers::made_like_by_default,
    .npu = {any_device},
    .meta = Numbers::made_like_by_default,
    .compressed = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                     std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
      return op<"normal_">(op<"empty_like">(self, dtype, layout, device, pin, format));
    },
    .grad = not_differentiable,
    .overloads = {overload("generator", {.cpu = Numbers::made_like, .npu = {any_device}, .meta = Numbers::made_like})},
});

}  // namespace
}  // namespace mt
