// scalar_tensor: a 0-dim tensor of a number.
#include "rules/factory/factory.h"

namespace mt {
namespace {

constexpr auto make_scalar_tensor = [](Scalar s, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                                       std::optional<bool> pin) -> Tensor {
  NewOptions o = dense_options(dtype, layout, device, pin, default_dtype());
  s.check_fits(is_half(o.dtype) ? Dtype::float32 : o.dtype);
  return scalar_tensor(s, o.dtype, o.device);
};

MT_OP(OpDef{
    .schema =
        {"scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor without dimensions that holds a number.

Unlike ``torch.tensor`` it has the default dtype for integers too.

Args:
    s (number): the value.
    dtype (torch.dtype, optional): Default: the default dtype.

Returns:
    Tensor: a tensor without dimensions.

Example:
    >>> torch.scalar_tensor(3)
    tensor(3.))",
    .cpu = make_scalar_tensor,
    .npu = {any_device},
    .meta = make_scalar_tensor,
});

}  // namespace
}  // namespace mt
