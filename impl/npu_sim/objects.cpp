// Creates and frees ACL's objects: tensors, numbers and lists.
#include "npu_sim/objects.h"

#include <algorithm>

#include "npu_sim/simulator.h"

#define MT_EXPORT extern "C" __attribute__((visibility("default")))

using namespace mt;

namespace mt::npu_sim {

int32_t dtype_of(int32_t type) {
  switch (type) {
    case acl::type_float: return MT_FLOAT32;
    case acl::type_float16: return MT_FLOAT16;
    case acl::type_int8: return MT_INT8;
    case acl::type_int32: return MT_INT32;
    case acl::type_uint8: return MT_UINT8;
    case acl::type_int16: return MT_INT16;
    case acl::type_uint16: return MT_UINT16;
    case acl::type_uint32: return MT_UINT32;
    case acl::type_int64: return MT_INT64;
    case acl::type_uint64: return MT_UINT64;
    case acl::type_double: return MT_FLOAT64;
    case acl::type_bool: return MT_BOOL;
    case acl::type_complex32: return MT_COMPLEX32;
    case acl::type_complex64: return MT_COMPLEX64;
    case acl::type_complex128: return MT_COMPLEX128;
    case acl::type_bfloat16: return MT_BFLOAT16;
    case acl::type_float8_e5m2: return MT_FLOAT8_E5M2;
    case acl::type_float8_e4m3fn: return MT_FLOAT8_E4M3FN;
    case acl::type_float8_e8m0: return MT_FLOAT8_E8M0FNU;
    default: return -1;
  }
}

}  // namespace mt::npu_sim

MT_EXPORT aclTensor* aclCreateTensor(const int64_t* sizes, uint64_t dims, int32_t type, const int64_t* strides, int64_t offset, int32_t,
                                     const int64_t*, uint64_t, void* data) {
  const int32_t dtype = npu_sim::dtype_of(type);
  if (npu_sim::enter("aclCreateTensor") || dtype < 0) return nullptr;
  return new aclTensor{{sizes, sizes + dims}, {strides, strides + dims}, offset, dtype, static_cast<char*>(data)};
}
// The caller frees the sizes with delete[], according to the documentation of aclGetViewShape.
MT_EXPORT aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** sizes, uint64_t* dims) {
  if (const aclError fault = npu_sim::enter("aclGetViewShape")) return fault;
  const std::vector<int64_t>& all = tensor->decided ? *tensor->decided : tensor->sizes;
  *sizes = new int64_t[all.size()];
  *dims = all.size();
  std::copy(all.begin(), all.end(), *sizes);
  return acl::success;
}
MT_EXPORT aclError aclDestroyTensor(const aclTensor* tensor) { return delete tensor, acl::success; }

MT_EXPORT aclScalar* aclCreateScalar(void* value, int32_t type) {
  const int32_t dtype = npu_sim::dtype_of(type);
  if (npu_sim::enter("aclCreateScalar") || dtype < 0) return nullptr;
  // Stores the value as a tensor of one element, which the library can read in any dtype.
  mt_tensor* tensor = nullptr;
  auto* scalar = new aclScalar{{}, dtype};
  mt_status* status = mt_tensor_from_copy(value, nullptr, 0, dtype, &tensor);
  if (!status) status = mt_tensor_item(tensor, &scalar->value);
  mt_tensor_release(tensor);
  if (!status) return scalar;
  npu_sim::set_error_text(mt_status_message(status));
  mt_status_release(status);
  delete scalar;
  return nullptr;
}
MT_EXPORT aclError aclDestroyScalar(const aclScalar* scalar) { return delete scalar, acl::success; }

MT_EXPORT aclIntArray* aclCreateIntArray(const int64_t* items, uint64_t count) {
  return npu_sim::enter("aclCreateIntArray") ? nullptr : new aclIntArray{{items, items + count}};
}
MT_EXPORT aclError aclDestroyIntArray(const aclIntArray* array) { return delete array, acl::success; }
MT_EXPORT aclFloatArray* aclCreateFloatArray(const float* items, uint64_t count) {
  return npu_sim::enter("aclCreateFloatArray") ? nullptr : new aclFloatArray{{items, items + count}};
}
MT_EXPORT aclError aclDestroyFloatArray(const aclFloatArray* array) { return delete array, acl::success; }
MT_EXPORT aclBoolArray* aclCreateBoolArray(const bool* items, uint64_t count) {
  return npu_sim::enter("aclCreateBoolArray") ? nullptr : new aclBoolArray{{items, items + count}};
}
MT_EXPORT aclError aclDestroyBoolArray(const aclBoolArray* array) { return delete array, acl::success; }

// Lists own their elements, according to the documentation of aclDestroyTensorList.
MT_EXPORT aclTensorList* aclCreateTensorList(const aclTensor* const* items, uint64_t count) {
  return new aclTensorList{{items, items + count}};
}
MT_EXPORT aclError aclDestroyTensorList(const aclTensorList* list) {
  for (const aclTensor* tensor : list->items) delete tensor;
  return delete list, acl::success;
}
MT_EXPORT aclScalarList* aclCreateScalarList(const aclScalar* const* items, uint64_t count) {
  return new aclScalarList{{items, items + count}};
}
MT_EXPORT aclError aclDestroyScalarList(const aclScalarList* list) {
  for (const aclScalar* scalar : list->items) delete scalar;
  return delete list, acl::success;
}
