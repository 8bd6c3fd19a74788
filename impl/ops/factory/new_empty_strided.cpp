// new_empty_strided: an unset tensor with the given strides and the dtype and device of `self`.
#include "rules/factory/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto make_new_empty_strided = [](const Tensor& self, IntList size, IntList stride, std::optional<Dtype> dtype,
                                           std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return op<"empty_strided">(size, stride, dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin);
};

// vmap: the tensors of the mapped dimension are stored one after the other, without overlap.
void batch_new_empty_strided(const BatchCall& c) {
  const IntList sizes = c.ints(1), strides = c.ints(2);
  Dims all_sizes{c.size}, all_strides{std::max<int64_t>(1, needed_bytes(sizes, strides, 0, 1))};
  for (int64_t s : sizes) all_sizes.push_back(s);
  for (int64_t s : strides) all_strides.push_back(s);
  std::vector<Value> args(c.args, c.args + c.op.n_args);
  const Tensor self = c.front(0);
  args[0] = box(self), args[1] = box(all_sizes), args[2] = box(all_strides);
  c.call_and_wrap(args.data());
}

MT_OP(OpDef{
    .schema = {"new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor"},
    .forms = method,
    .doc = R"(Returns a tensor of given strides, with the dtype and device of `self`; elements are not set.

Args:
    self (Tensor): tensor whose dtype and device are taken.
    size (tuple of int): sizes.
    stride (tuple of int): strides in elements, as many as sizes.

Returns:
    Tensor: a tensor of shape `size`.

Example:
    >>> torch.zeros(1).new_empty_strided((2, 3), (1, 2)).stride()
    (1, 2))",
    .cpu = make_new_empty_strided,
    .npu = {any_device},
    .meta = make_new_empty_strided,
    .grad = not_differentiable,
    .batch = batch_new_empty_strided,
});

}  // namespace
}  // namespace mt
