// torch's operators as functions over torch::stable::Tensor, implemented by calls of the dispatcher. torch_call_dispatcher reaches all
// others.
#pragma once

#include <array>
#include <initializer_list>

#include <torch/csrc/inductor/aoti_torch/generated/c_shim_aten.h>
#include <torch/csrc/stable/stableivalue_conversions.h>

HIDDEN_NAMESPACE_BEGIN(torch, stable, detail)
// Calls an operator with a single tensor result, with all of its schema's arguments.
template <class... Arguments>
inline Tensor call(const char* name, const char* overload, const Arguments&... arguments) {
  std::array<StableIValue, sizeof...(Arguments)> stack{from(arguments)...};
  if (torch_call_dispatcher(name, overload, stack.data(), TORCH_ABI_VERSION) != TORCH_SUCCESS) fail_call(name, __FILE__, __LINE__);
  return to<Tensor>(stack[0]);
}
inline constexpr std::nullopt_t none = std::nullopt;
HIDDEN_NAMESPACE_END(torch, stable, detail)

HIDDEN_NAMESPACE_BEGIN(torch, stable)

using headeronly::MemoryFormat;

// ---- new tensors ----
inline Tensor empty(IntHeaderOnlyArrayRef size, std::optional<ScalarType> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                    std::optional<Device> device = std::nullopt, std::optional<bool> pin_memory = std::nullopt,
                    std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call("aten::empty", "memory_format", size, dtype, layout, device, pin_memory, memory_format);
}
inline Tensor empty_like(const Tensor& self) {
  return detail::call("aten::empty_like", "", self, detail::none, detail::none, detail::none, detail::none, detail::none);
}
inline Tensor new_empty(const Tensor& self, IntHeaderOnlyArrayRef size, std::optional<ScalarType> dtype = std::nullopt,
                        std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt,
                        std::optional<bool> pin_memory = std::nullopt) {
  return detail::call("aten::new_empty", "", self, size, dtype, layout, device, pin_memory);
}
inline Tensor new_zeros(const Tensor& self, IntHeaderOnlyArrayRef size, std::optional<ScalarType> dtype = std::nullopt,
                        std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt,
                        std::optional<bool> pin_memory = std::nullopt) {
  return detail::call("aten::new_zeros", "", self, size, dtype, layout, device, pin_memory);
}
inline Tensor full(IntHeaderOnlyArrayRef size, double fill_value, std::optional<ScalarType> dtype = std::nullopt,
                   std::optional<Layout> layout = std::nullopt, std::optional<Device> device = std::nullopt,
                   std::optional<bool> pin_memory = std::nullopt) {
  int32_t dtype_number = dtype ? detail::number_of(*dtype) : 0, layout_number = layout ? detail::number_of(*layout) : 0;
  int32_t device_number = device ? detail::number_of(device->type()) : 0, pinned = pin_memory.value_or(false);
  AtenTensorHandle tensor = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_aten_full(size.data(), int64_t(size.size()), fill_value, dtype ? &dtype_number : nullptr,
                                                     layout ? &layout_number : nullptr, device ? &device_number : nullptr,
                                                     device ? device->index() : 0, pin_memory ? &pinned : nullptr, &tensor));
  return Tensor(tensor);
}
inline Tensor fill_(const Tensor& self, double value) {
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_aten_fill__Scalar(self.get(), value));
  return self;
}

#if TORCH_FEATURE_VERSION >= TORCH_VERSION_2_11_0
// A tensor over given memory. deleter(data) is called when nobody uses it any more.
template <class F, std::enable_if_t<std::is_invocable_v<F, void*>, int> = 0>
inline Tensor from_blob(void* data, IntHeaderOnlyArrayRef sizes, IntHeaderOnlyArrayRef strides, Device device, ScalarType dtype, F deleter,
                        int64_t storage_offset = 0, Layout layout = Layout::Strided) {
  auto kept = std::make_unique<F>(std::move(deleter));
  AtenTensorHandle tensor = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(torch_from_blob(
      data, int64_t(sizes.size()), sizes.data(), strides.data(), storage_offset, detail::number_of(dtype), detail::number_of(device.type()),
      device.index(), &tensor, detail::number_of(layout), nullptr, 0,
      [](void* memory, void* context) {
        const std::unique_ptr<F> function(static_cast<F*>(context));
        (*function)(memory);
      },
      kept.get()));
  kept.release();
  return Tensor(tensor);
}
#endif
inline Tensor from_blob(void* data, IntHeaderOnlyArrayRef sizes, IntHeaderOnlyArrayRef strides, Device device, ScalarType dtype,
                        int64_t storage_offset = 0, Layout layout = Layout::Strided) {
  AtenTensorHandle tensor = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_create_tensor_from_blob_v2(data, int64_t(sizes.size()), sizes.data(), strides.data(),
                                                                      storage_offset, detail::number_of(dtype),
                                                                      detail::number_of(device.type()), device.index(), &tensor,
                                                                      detail::number_of(layout), nullptr, 0));
  return Tensor(tensor);
}

// ---- views, copies, conversions ----
inline Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  return detail::call("aten::narrow", "", self, dim, start, length);
}
inline Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1) { return detail::call("aten::transpose", "int", self, dim0, dim1); }
inline Tensor select(const Tensor& self, int64_t dim, int64_t index) { return detail::call("aten::select", "int", self, dim, index); }
inline Tensor unsqueeze(const Tensor& self, int64_t dim) { return detail::call("aten::unsqueeze", "", self, dim); }
inline Tensor squeeze(const Tensor& self, int64_t dim) { return detail::call("aten::squeeze", "dim", self, dim); }
inline Tensor flatten(const Tensor& self, int64_t start_dim = 0, int64_t end_dim = -1) {
  return detail::call("aten::flatten", "using_ints", self, start_dim, end_dim);
}
inline Tensor reshape(const Tensor& self, IntHeaderOnlyArrayRef shape) { return detail::call("aten::reshape", "", self, shape); }
inline Tensor view(const Tensor& self, IntHeaderOnlyArrayRef size) { return detail::call("aten::view", "", self, size); }
inline Tensor clone(const Tensor& self) { return detail::call("aten::clone", "", self, detail::none); }
inline Tensor copy_(const Tensor& self, const Tensor& src, std::optional<bool> non_blocking = std::nullopt) {
  return detail::call("aten::copy_", "", self, src, non_blocking.value_or(false));
}
inline Tensor zero_(const Tensor& self) { return detail::call("aten::zero_", "", self); }
inline Tensor contiguous(const Tensor& self, MemoryFormat memory_format = MemoryFormat::Contiguous) {
  return detail::call("aten::contiguous", "", self, memory_format);
}
inline Tensor to(const Tensor& self, std::optional<ScalarType> dtype = std::nullopt, std::optional<Layout> layout = std::nullopt,
                 std::optional<Device> device = std::nullopt, std::optional<bool> pin_memory = std::nullopt, bool non_blocking = false,
                 bool copy = false, std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call("aten::to", "dtype_layout", self, dtype, layout, device, pin_memory, non_blocking, copy, memory_format);
}
inline Tensor to(const Tensor& self, Device device, bool non_blocking = false, bool copy = false) {
  return to(self, std::nullopt, std::nullopt, device, std::nullopt, non_blocking, copy);
}

inline Tensor pad(const Tensor& self, IntHeaderOnlyArrayRef pads, const std::string& mode = "constant", double value = 0.0) {
  AtenTensorHandle tensor = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_aten_pad(self.get(), pads.data(), int64_t(pads.size()), mode.c_str(), &value, &tensor));
  return Tensor(tensor);
}

// ---- arithmetic ----
inline Tensor amax(const Tensor& self, IntHeaderOnlyArrayRef dims, bool keepdim = false) {
  return detail::call("aten::amax", "", self, dims, keepdim);
}
inline Tensor amax(const Tensor& self, int64_t dim, bool keepdim = false) { return amax(self, IntHeaderOnlyArrayRef(&dim, 1), keepdim); }
inline Tensor sum(const Tensor& self, std::optional<IntHeaderOnlyArrayRef> dim = std::nullopt, bool keepdim = false,
                  std::optional<ScalarType> dtype = std::nullopt) {
  return detail::call("aten::sum", "dim_IntList", self, dim, keepdim, dtype);
}
inline Tensor& sum_out(Tensor& out, const Tensor& self, std::optional<IntHeaderOnlyArrayRef> dim = std::nullopt, bool keepdim = false,
                       std::optional<ScalarType> dtype = std::nullopt) {
  detail::call("aten::sum", "IntList_out", self, dim, keepdim, dtype, out);
  return out;
}
inline Tensor subtract(const Tensor& self, const Tensor& other, double alpha = 1.0) {
  AtenTensorHandle tensor = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_aten_subtract_Tensor(self.get(), other.get(), alpha, &tensor));
  return Tensor(tensor);
}
inline Tensor matmul(const Tensor& self, const Tensor& other) { return detail::call("aten::matmul", "", self, other); }

// ---- threads ----
// body(begin, end) over pieces of a range, of at least `grain_size`, on several threads.
template <class F>
inline void parallel_for(int64_t begin, int64_t end, int64_t grain_size, const F& body) {
  STABLE_TORCH_ERROR_CODE_CHECK(torch_parallel_for(
      begin, end, grain_size, [](int64_t first, int64_t last, void* context) { (*static_cast<const F*>(context))(first, last); },
      const_cast<F*>(&body)));
}
inline uint32_t get_num_threads() {
  uint32_t n = 0;
  STABLE_TORCH_ERROR_CODE_CHECK(torch_get_num_threads(&n));
  return n;
}

HIDDEN_NAMESPACE_END(torch, stable)
