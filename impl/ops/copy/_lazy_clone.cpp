// _lazy_clone: a clone whose bytes are copied when the clone or the original is written for the first time.
#include "core/lazy_clone.h"
#include "rules/factory/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto clone_without_copy = [](const Tensor& self) -> Tensor {
  Ref<Storage> storage = clone_lazily(*self->storage);
  check(storage.get(), "_lazy_clone: the bytes of the tensor were not allocated by this library, so others may write them");
  return make_tensor(std::move(storage), self.dtype(), self.sizes(), self.strides(), self.storage_offset());
};

MT_OP(OpDef{
    .schema = {"_lazy_clone(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns a copy of `self` with the same strides that shares its memory until one of both is written.

Args:
    self (Tensor): a strided tensor.

Returns:
    Tensor: a new tensor over a storage of its own.

Raises:
    RuntimeError: if the memory of `self` belongs to others, such as a NumPy array or a mapped file.

Example:
    >>> x = torch.tensor([1, 2])
    >>> y = torch._lazy_clone(x)
    >>> y[0] = 9
    >>> x
    tensor([1, 2]))",
    .cpu = clone_without_copy,
    .npu = {any_device},
    .meta = clone_without_copy,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); })},
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
