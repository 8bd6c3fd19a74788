// set_: makes a tensor refer to another storage, with any sizes, strides and offset.
#include "autograd/meta.h"
#include "core/messages.h"
#include "definition/op.h"

namespace mt {
namespace {

void refer_to_storage(const Tensor& self, Ref<Storage> storage, int64_t offset, IntList size, IntList stride) {
  check(storage->device == self.device(),
        "Attempted to set the storage of a tensor on device \"{}\" to a storage on different device \"{}\".  This is no longer allowed; "
        "the devices must match.",
        self.device(), storage->device);
  check(stride.empty() || stride.size() == size.size(), "unequal size length ({}) and stride length ({})", size.size(), stride.size());
  check(offset >= 0, messages::invalid_storage_offset, offset);
  for (int64_t s : size) check(s >= 0, messages::numel_overflow);
  static_cast<void>(product(size));  // raises on overflow
  for (int64_t s : stride) check(s >= 0, messages::storage_size_overflow_with_strides, size, stride);
  Dims strides = stride.empty() ? contiguous_strides(size) : Dims(stride);
  int64_t needed = needed_bytes(size, strides, offset, self.itemsize());
  const bool same_geometry = self.sizes() == size &&
                             (stride.empty() || self.strides() == stride);  // torch enlarges the storage only for another geometry
  check(!same_geometry || self.is_meta() || needed <= storage->nbytes, messages::set_storage_out_of_bounds, size, stride, offset,
        self.itemsize(), needed, storage->nbytes);
  if (needed > storage->nbytes) resize_storage(*storage, needed);
  forget_accumulator(*self);  // a leaf's next graph is another's
  self->storage = std::move(storage);
  set_geometry(*self, size, strides, offset);
}

constexpr auto set_whole_storage = [](const Tensor& self, Ref<Storage> source) {
  int64_t size = source->nbytes / self.itemsize();
  refer_to_storage(self, std::move(source), 0, IntList{size}, {});
};
constexpr auto set_part_of_storage = [](const Tensor& self, Ref<Storage> source, int64_t storage_offset, IntList size, IntList stride) {
  refer_to_storage(self, std::move(source), storage_offset, size, stride);
};
constexpr auto set_empty_storage = [](const Tensor& self) { refer_to_storage(self, make_storage(0, self.device()), 0, IntList{0}, {}); };

void check_same_dtype(const Tensor& self, const Tensor& source) {
  check(self.dtype() == source.dtype(), "Could not set tensor of type {} to a tensor of type {}", scalar_name_of(source.dtype()),
        scalar_name_of(self.dtype()));
}
constexpr auto set_same_as = [](const Tensor& self, const Tensor& source) {
  check_same_dtype(self, source);
  refer_to_storage(self, source->storage, source.storage_offset(), source.sizes(), source.strides());
};
constexpr auto set_part_of_tensor = [](const Tensor& self, const Tensor& source, int64_t storage_offset, IntList size, IntList stride) {
  check_same_dtype(self, source);
  refer_to_storage(self, source->storage, storage_offset, size, stride);
};

MT_OP(OpDef{
    .schema = {"set_(Tensor(a!) self) -> Tensor(a!)", "set_.source_Storage(Tensor(a!) self, Storage source) -> Tensor(a!)",
               "set_.source_Storage_storage_offset(Tensor(a!) self, Storage source, SymInt storage_offset, SymInt[] size, SymInt[] "
               "stride=[]) -> Tensor(a!)",
               "set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)",
               "set_.source_Tensor_storage_offset(Tensor(a!) self, Tensor source, SymInt storage_offset, SymInt[] size, SymInt[] "
               "stride=[]) -> Tensor(a!)"},
    .forms = method,
    .doc = R"(Makes `self` refer to the memory of `source`, in place; without arguments, to none.

A tensor as `source` gives its storage, shape, strides and offset; a storage gives a vector of all
its elements. With `storage_offset`, `size` and `stride` the part of the storage is chosen freely.
Autograd does not follow the change: use it for buffers only.

Args:
    self (Tensor): tensor to change.
    source (Tensor or torch.UntypedStorage): memory to refer to; a tensor of the same dtype and
        device.
    storage_offset (int): first element in the storage.
    size (tuple of int): the new shape.
    stride (tuple of int): the new strides in elements. Default: ``()``, those of a contiguous
        tensor.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when dtypes or devices differ, the offset or a stride is negative, or `self` would
        reach past the end of a storage that cannot grow.

Example:
    >>> x = torch.arange(4)
    >>> y = torch.empty(0, dtype=torch.int64).set_(x, 1, (2,))
    >>> y
    tensor([1, 2]))",
    .cpu = set_empty_storage,
    .npu = {any_device},
    .meta = set_empty_storage,
    .no_forward = true,
    .overloads = {overload("source_Storage", {.cpu = set_whole_storage, .npu = {any_device}, .meta = set_whole_storage}),
                  overload("source_Storage_storage_offset", {.cpu = set_part_of_storage, .npu = {any_device}, .meta = set_part_of_storage}),
                  overload("source_Tensor", {.cpu = set_same_as, .npu = {any_device}, .meta = set_same_as}),
                  overload("source_Tensor_storage_offset", {.cpu = set_part_of_tensor, .npu = {any_device}, .meta = set_part_of_tensor})},
});

}  // namespace
}  // namespace mt
