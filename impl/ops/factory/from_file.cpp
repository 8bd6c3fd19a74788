// from_file: a tensor over the memory of a mapped file.
#include "core/mapped_file.h"
#include "core/no_kernel.h"
#include "rules/factory/factory.h"

namespace mt {
namespace {

constexpr auto make_from_file = [](Text filename, std::optional<bool> shared, std::optional<int64_t> size, std::optional<Dtype> dtype,
                                   std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  check(!pin.value_or(false), "tensors constructed from a file cannot be pinned");
  if (layout.value_or(Layout::strided) != Layout::strided) fail_without_kernel("aten::from_file", "SparseCPU", "CPU");
  const NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
  const int64_t count = size.value_or(0);
  int64_t nbytes = 0;
  check(!__builtin_mul_overflow(count, element_size(o.dtype), &nbytes), "Storage size calculation overflowed with sizes=[{}]", count);
  const std::string path(filename.data, filename.size);
  const Ref<Storage> storage = map_file(path.c_str(), shared.value_or(false), nbytes);
  return make_tensor(storage, o.dtype, {count}, {1}, 0);
};

MT_OP(OpDef{
    .schema = {"from_file(str filename, bool? shared=None, int? size=0, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function,
    .doc = R"(Maps a file to a vector, without reading it at once.

Args:
    filename (str): the file; with `shared` it is created or enlarged if needed.
    shared (bool, optional): whether writes go to the file and to other processes that map it;
        otherwise they stay in this tensor. Default: not shared.
    size (int, optional): number of elements. Default: ``0``.
    dtype (torch.dtype, optional): Default: the default dtype.
    device (torch.device, optional): only the CPU.
    pin_memory (bool, optional): must not be True.

Returns:
    Tensor: shape ``(size,)``, over the memory of the file.

Raises:
    RuntimeError: when the file cannot be opened or is too small, and for pinned memory.
    NotImplementedError: for other layouts and devices.

Example:
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "data")
    >>> shared = torch.from_file(path, shared=True, size=2, dtype=torch.int32)
    >>> _ = shared.copy_(torch.tensor([5, 7]))
    >>> torch.from_file(path, size=2, dtype=torch.int32)
    tensor([5, 7], dtype=torch.int32)
    >>> os.remove(path)
    >>> os.rmdir(os.path.dirname(path)))",
    .cpu = make_from_file,
});

}  // namespace
}  // namespace mt
