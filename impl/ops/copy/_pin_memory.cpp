// _pin_memory: a copy in pinned host memory.
#include "core/backend.h"
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

// Raises torch's error messages for accelerators whose library is missing.
[[noreturn]] void refuse_accelerator(std::string_view type) {
  static constexpr std::pair<std::string_view, const char*> texts[] = {
      {"cuda",
       "Cannot initialize CUDA without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU library and a CUDA "
       "library; this error has occurred because you are trying to use some CUDA functionality, but the CUDA library has not been loaded "
       "by "
       "the dynamic linker for some reason.  The CUDA library MUST be loaded, EVEN IF you don't directly use any symbols from the CUDA "
       "library! One common culprit is a lack of -Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic "
       "library dependencies if you don't depend on any of their symbols.  You can check if this has occurred by using ldd on your binary "
       "to see if there is a dependency on *_cuda.so library."},
      {"xla",
       "Cannot initialize XLA without torch_xla library. This error has occurred because you are trying to use some XLA functionality, but "
       "the XLA library has not been loaded by the dynamic linker. You must load xla libraries by `import torch_xla`"},
      {"xpu", "Cannot initialize XPU without ATen_xpu library."},
      {"hip", "Cannot initialize HIP without ATen_hip library."},
      {"hpu", "Cannot initialize HPU without HPU backend"},
      {"mps", "Cannot execute init() without MPS backend."},
      {"mtia", "Cannot execute getPinnedMemoryAllocator() without MTIA backend."}};
  for (auto& [name, text] : texts)
    if (name == type) fail("{}", text);
  std::string name(type);
  for (char& c : name) c = char(std::toupper(static_cast<unsigned char>(c)));
  fail("{} device type not an accelerator.", name);
}

constexpr auto pin_tensor = [](const Tensor& self, std::optional<Device> device) -> Tensor {
  check(self.device().is_cpu(), "cannot pin '{}{}Type' only dense CPU tensors can be pinned", self.is_meta() ? "Meta" : "PrivateUse1",
        cpp_name_of(self.dtype()));
  const DeviceType type = device ? device->type : DeviceType::npu;
  if (type != DeviceType::npu) refuse_accelerator(name_of(type));
  const Dims strides = contiguous_strides(self.sizes());
  Tensor out = make_tensor(backend_of(type).pinned_storage(self.numel() * element_size(self.dtype())), self.dtype(), self.sizes(), strides,
                           0);
  copy_into(out, self);
  return out;
};

constexpr auto pin_components = [](const Tensor& self, std::optional<Device> device) -> Tensor {
  BelowAutograd guard;
  return make_sparse(self.sizes(), map_components(self, [&](const Tensor& part) { return pin_tensor(part, device); }));
};

MT_OP(OpDef{
    .schema = {"_pin_memory(Tensor self, Device? device=None) -> Tensor"},
    .forms = function,
    .doc = "Returns a copy in pinned host memory; ``Tensor.pin_memory`` calls it.",
    .cpu = pin_tensor,
    .npu = {any_device},
    .meta = pin_tensor,
    .sparse = pin_components,
    .compressed = pin_components,
    .grad = {wrt("self", [](Grad g) { return g; })},
});
MT_OP(OpDef{
    .schema = {"_pin_memory.out(Tensor self, Device? device=None, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = internal,
    .doc = "Copies `self` through pinned host memory into `out`.",
    .composite =
        [](const Tensor& self, std::optional<Device> device, const Tensor& out) {
          const Tensor made = op<"_pin_memory">(self, device);
          check(made.dtype() == out.dtype(), messages::expected_out_dtype, ScalarName(made.dtype()), ScalarName(out.dtype()));
          resize_output(out, made.sizes());
          store_result(out, made);
        },
});

}  // namespace
}  // namespace mt
