// empty: a tensor of the given size whose elements are not set.
#include "rules/factory/factory.h"
#include "rules/form/determinism.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto make_empty = [](IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                               std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
  NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
  check(format.value_or(MemoryFormat::contiguous) != MemoryFormat::preserve,
        "Only contiguous and channels_last memory formats are supported by empty");
  if (layout.value_or(Layout::strided) != Layout::strided) return empty_sparse(*layout, size, o.dtype, o.device);
  return fill_new_memory(empty(size, o.dtype, o.device, format.value_or(MemoryFormat::contiguous)));
};

MT_OP(OpDef{
    .schema = {"empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor of the given size whose elements are not set.

The values are whatever the memory holds. It saves the time to fill memory that is overwritten
anyway.

Args:
    size (int...): sizes, as separate numbers or one tuple.
    dtype (torch.dtype, optional): Default: the default dtype.

Returns:
    Tensor: a tensor of shape `size`.

Raises:
    RuntimeError: when a size is negative.

Example:
    >>> torch.empty(2, 3).shape
    torch.Size([2, 3]))",
    .cpu = make_empty,
    .npu = {any_device},
    .meta = make_empty,
});
MT_OP(OpDef{
    .schema = {"empty.out(SymInt[] size, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Gives `out` the shape `size`; elements that are new are not set.",
    .composite =
        [](IntList size, std::optional<MemoryFormat> format, const Tensor& out) {
          check(!format, "'memory_format' argument is incompatible with 'out' tensor argument");
          op<"resize_">(out, size);
          fill_new_memory(out);
        },
});

}  // namespace
}  // namespace mt
