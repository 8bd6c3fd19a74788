// Options of new tensors, and filling.
#include "rules/factory/factory.h"

#include <cctype>

#include "core/backend.h"
#include "core/exception.h"
#include "core/no_kernel.h"
#include "cpu/copy/copy.h"
#include "rules/pointwise/pointwise.h"

namespace mt {

NewOptions new_options(std::optional<Dtype> dtype, std::optional<Layout>, std::optional<Device> device, std::optional<bool> pin_memory,
                       Dtype default_dtype) {
  NewOptions options{dtype.value_or(default_dtype), device.value_or(Device{})};
  if (options.device.type != DeviceType::cpu && options.device.type != DeviceType::meta && options.device.type != DeviceType::npu) {
    std::string backend = name_of(options.device.type);
    for (char& c : backend) c = static_cast<char>(std::toupper(c));
    check(backend != "CUDA" && backend != "XPU", ErrorKind::assertion, "Torch not compiled with {} enabled", backend);
    fail_without_kernel("aten::empty.memory_format", backend, "CPU, NPU, Meta");
  }
  check(!pin_memory.value_or(false) || !options.device.is_cpu(),
        "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this system.");
  options.device = complete_device(options.device);
  return options;
}

NewOptions dense_options(std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                         std::optional<bool> pin_memory, Dtype default_dtype) {
  if (layout.value_or(Layout::strided) != Layout::strided) fail_without_kernel("aten::empty_strided", "SparseCPU", "CPU, NPU, Meta");
  return new_options(dtype, layout, device, pin_memory, default_dtype);
}

Dims strides_like(const Tensor& self) {
  if (self.is_non_overlapping_and_dense()) return self.strides();
  Dims sizes, strides;
  pointwise_geometry(&self, 1, sizes, strides);
  return strides.empty() ? contiguous_strides(sizes) : strides;
}

Tensor empty_as(const Tensor& self, Dtype dtype, Device device, std::optional<MemoryFormat> format) {
  MemoryFormat f = format.value_or(MemoryFormat::preserve);
  if (f != MemoryFormat::preserve) return empty(self.sizes(), dtype, device, f);
  return empty_strided(self.sizes(), strides_like(self), dtype, device);
}

void fill_with(const Tensor& tensor, const Scalar& value) {
  if (tensor.is_meta() || tensor.numel() == 0) return;
  if (!tensor.device().is_cpu()) return backend_of(tensor.device().type).fill(tensor, value);
  Complex<double> zero;
  char element[sizeof zero] = {};
  value.store(tensor.dtype(), element);
  const int64_t size = tensor.itemsize();
  if (tensor.is_non_overlapping_and_dense())
    return cpu::fill_dense(static_cast<char*>(tensor.data()), tensor.numel() * size, element, size);
  copy_into(tensor, scalar_tensor(value, tensor.dtype()));
}

Tensor filled_as(const Tensor& self, IntList size, Scalar value, std::optional<Dtype> dtype, std::optional<Layout> layout,
                 std::optional<Device> device, std::optional<bool> pin) {
  const NewOptions o = dense_options(dtype, layout, device.value_or(self.device()), pin, self.dtype());
  const Tensor made = empty(size, o.dtype, o.device);
  value.check_fits(o.dtype);
  fill_with(made, value);
  return made;
}

}  // namespace mt
