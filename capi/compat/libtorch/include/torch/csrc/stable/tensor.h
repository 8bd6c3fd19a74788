// torch::stable::Tensor: a shared handle of a tensor, and its properties. Operators are functions (ops.h).
#pragma once

#include <memory>

#include <torch/csrc/stable/device.h>
#include <torch/headeronly/util/HeaderOnlyArrayRef.h>

HIDDEN_NAMESPACE_BEGIN(torch, stable)

using headeronly::IntHeaderOnlyArrayRef;
using headeronly::Layout;
using headeronly::ScalarType;

class Tensor {
 public:
  // An undefined tensor.
  Tensor() : Tensor(call_getter<AtenTensorHandle>("aoti_torch_new_uninitialized_tensor", aoti_torch_new_uninitialized_tensor)) {}
  // Takes ownership of the handle.
  explicit Tensor(AtenTensorHandle handle) : handle_(handle, [](AtenTensorHandle tensor) { aoti_torch_delete_tensor_object(tensor); }) {}

  AtenTensorHandle get() const { return handle_.get(); }  // borrowed

  bool defined() const { return get_property<bool>(aoti_torch_is_defined); }
  int64_t dim() const { return get_property<int64_t>(aoti_torch_get_dim); }
  int64_t numel() const { return get_property<int64_t>(aoti_torch_get_numel); }
  IntHeaderOnlyArrayRef sizes() const { return {get_property<int64_t*>(aoti_torch_get_sizes), size_t(dim())}; }
  IntHeaderOnlyArrayRef strides() const { return {get_property<int64_t*>(aoti_torch_get_strides), size_t(dim())}; }
  int64_t size(int64_t d) const { return get_property<int64_t>(aoti_torch_get_size, d); }
  int64_t stride(int64_t d) const { return get_property<int64_t>(aoti_torch_get_stride, d); }
  int64_t storage_offset() const { return get_property<int64_t>(aoti_torch_get_storage_offset); }
  bool is_contiguous() const { return get_property<bool>(aoti_torch_is_contiguous); }
  ScalarType scalar_type() const { return detail::value_of<ScalarType>(get_property<int32_t>(aoti_torch_get_dtype)); }
  size_t element_size() const { return aoti_torch_dtype_element_size(get_property<int32_t>(aoti_torch_get_dtype)); }
  Layout layout() const { return detail::value_of<Layout>(get_property<int32_t>(aoti_torch_get_layout)); }
  DeviceIndex get_device_index() const { return get_property<int32_t>(aoti_torch_get_device_index); }
  int8_t get_device() const { return int8_t(get_device_index()); }
  Device device() const { return {detail::value_of<DeviceType>(get_property<int32_t>(aoti_torch_get_device_type)), get_device_index()}; }
  bool is_cpu() const { return get_property<int32_t>(aoti_torch_get_device_type) == aoti_torch_device_type_cpu(); }
  bool is_cuda() const { return get_property<int32_t>(aoti_torch_get_device_type) == aoti_torch_device_type_cuda(); }

  void* data_ptr() const { return get_property<void*>(aoti_torch_get_data_ptr); }
  void* mutable_data_ptr() const { return get_property<void*>(torch_get_mutable_data_ptr); }
  const void* const_data_ptr() const { return get_property<const void*>(torch_get_const_data_ptr); }
  // The elements as a C++ type, which must match the dtype.
  template <class T>
  T* mutable_data_ptr() const {
    check_type<T>();
    return static_cast<T*>(mutable_data_ptr());
  }
  template <class T, std::enable_if_t<!std::is_const_v<T>, int> = 0>
  const T* const_data_ptr() const {
    check_type<T>();
    return static_cast<const T*>(const_data_ptr());
  }

  const Tensor& set_requires_grad(bool requires_grad) const {
    STABLE_TORCH_ERROR_CODE_CHECK(torch_set_requires_grad(get(), requires_grad));
    return *this;
  }

 private:
  template <class T, class Function, class... Arguments>
  static T call_getter(const char* name, Function function, Arguments... arguments) {
    T result{};
    if (function(arguments..., &result) != TORCH_SUCCESS) detail::fail_call(name, __FILE__, __LINE__);
    return result;
  }
  template <class T, class Function, class... Arguments>
  T get_property(Function function, Arguments... arguments) const {
    return call_getter<T>("torch::stable::Tensor", function, get(), arguments...);
  }
  template <class T>
  void check_type() const {
    constexpr ScalarType expected = headeronly::CppTypeToScalarType<T>::value;
    const ScalarType found = scalar_type();
    STD_TORCH_CHECK(found == expected, "expected scalar type ", headeronly::toString(expected), " but found ", headeronly::toString(found));
  }

  std::shared_ptr<AtenTensorOpaque> handle_;
};

HIDDEN_NAMESPACE_END(torch, stable)
