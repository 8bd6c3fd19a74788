// randn_like: normal numbers in the shape of a tensor.
#include "rules/random.h"

namespace mt {
namespace {

using Numbers = StandardNumbers<fill_with_normal_numbers>;

MT_OP(OpDef{
    .schema = {"randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
               "MemoryFormat? memory_format=None) -> Tensor",
               "randn_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = "Normal numbers in the shape of `self`.",
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
