// The part of CANN's ACL that MindTorch uses: types, numbers and functions from the public documentation of CANN 8 (AscendCL API
// reference, "aclrt" and "aclnn" chapters; headers acl/acl_rt.h, acl/acl_mdl.h and aclnn/acl_meta.h). The simulator exports the
// same.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
using aclError = int32_t;
using aclnnStatus = int32_t;
using aclrtStream = void*;
using aclrtEvent = void*;
using aclmdlRI = void*;
using aclrtHostFunc = void (*)(void* argument);
struct aclTensor;
struct aclScalar;
struct aclTensorList;
struct aclScalarList;
struct aclIntArray;
struct aclFloatArray;
struct aclBoolArray;
struct aclOpExecutor;
}

namespace mt::acl {

enum : aclError {
  success = 0,
  error_invalid_param = 100000,
  error_repeat_initialize = 100002,
  error_rt_param_invalid = 107000,
  error_rt_invalid_device = 107001,
  error_rt_feature_not_support = 207000,
  error_rt_memory_allocation = 207001,
  error_rt_aicore_exception = 507015,
  error_rt_lost_heartbeat = 507010,
  error_rt_aicpu_exception = 507018,
  error_nn_param_invalid = 161002,
};
enum : int32_t { memcpy_host_to_host = 0, memcpy_host_to_device = 1, memcpy_device_to_host = 2, memcpy_device_to_device = 3 };
enum : int32_t { malloc_huge_first = 0, hbm_memory = 1 };
enum : int32_t { stream_complete = 0, stream_not_ready = 1 };
enum : int32_t { event_not_ready = 0, event_complete = 1 };
enum : uint32_t { event_sync = 1, event_capture_progress = 2, event_time_line = 8 };
enum : int32_t { capture_none = 0, capture_active = 1, capture_invalidated = 2 };
enum : int32_t { attribute_cube_cores = 102, attribute_vector_cores = 201, attribute_total_memory = 301, attribute_l2_size = 302 };
enum : int32_t { format_nd = 2 };
enum : int32_t {
  type_undefined = -1,
  type_float = 0,
  type_float16 = 1,
  type_int8 = 2,
  type_int32 = 3,
  type_uint8 = 4,
  type_int16 = 6,
  type_uint16 = 7,
  type_uint32 = 8,
  type_int64 = 9,
  type_uint64 = 10,
  type_double = 11,
  type_bool = 12,
  type_complex64 = 16,
  type_complex128 = 17,
  type_bfloat16 = 27,
  type_complex32 = 33,
  type_float8_e5m2 = 35,
  type_float8_e4m3fn = 36,
  type_float8_e8m0 = 37,
};

}  // namespace mt::acl

// X(name, result, parameters) for each function that the vendor's library must have.
#define MT_ACL_FUNCTIONS(X)                                                                                         \
  X(aclInit, aclError, (const char*))                                                                               \
  X(aclrtGetDeviceCount, aclError, (uint32_t*))                                                                     \
  X(aclrtSetDevice, aclError, (int32_t))                                                                            \
  X(aclrtGetSocName, const char*, ())                                                                               \
  X(aclrtGetMemInfo, aclError, (int32_t attribute, size_t* free, size_t* total))                                    \
  X(aclrtSynchronizeDevice, aclError, ())                                                                           \
  X(aclrtCreateStreamWithConfig, aclError, (aclrtStream*, uint32_t priority, uint32_t flag))                        \
  X(aclrtSynchronizeStream, aclError, (aclrtStream))                                                                \
  X(aclrtStreamQuery, aclError, (aclrtStream, int32_t* status))                                                     \
  X(aclrtStreamWaitEvent, aclError, (aclrtStream, aclrtEvent))                                                      \
  X(aclrtCreateEventExWithFlag, aclError, (aclrtEvent*, uint32_t flag))                                             \
  X(aclrtDestroyEvent, aclError, (aclrtEvent))                                                                      \
  X(aclrtRecordEvent, aclError, (aclrtEvent, aclrtStream))                                                          \
  X(aclrtQueryEventStatus, aclError, (aclrtEvent, int32_t* status))                                                 \
  X(aclrtSynchronizeEvent, aclError, (aclrtEvent))                                                                  \
  X(aclrtEventElapsedTime, aclError, (float* milliseconds, aclrtEvent start, aclrtEvent end))                       \
  X(aclrtMalloc, aclError, (void**, size_t, int32_t policy))                                                        \
  X(aclrtFree, aclError, (void*))                                                                                   \
  X(aclrtMallocHost, aclError, (void**, size_t))                                                                    \
  X(aclrtFreeHost, aclError, (void*))                                                                               \
  X(aclrtMemcpyAsync, aclError, (void* to, size_t room, const void* from, size_t count, int32_t kind, aclrtStream)) \
  X(aclrtLaunchHostFunc, aclError, (aclrtStream, aclrtHostFunc, void*))                                             \
  X(aclCreateTensor, aclTensor*,                                                                                    \
    (const int64_t* sizes, uint64_t dims, int32_t type, const int64_t* strides, int64_t offset, int32_t format,     \
     const int64_t* storage_sizes, uint64_t storage_dims, void* data))                                              \
  X(aclDestroyTensor, aclError, (const aclTensor*))                                                                 \
  X(aclCreateScalar, aclScalar*, (void* value, int32_t type))                                                       \
  X(aclDestroyScalar, aclError, (const aclScalar*))                                                                 \
  X(aclCreateIntArray, aclIntArray*, (const int64_t*, uint64_t))                                                    \
  X(aclDestroyIntArray, aclError, (const aclIntArray*))                                                             \
  X(aclCreateFloatArray, aclFloatArray*, (const float*, uint64_t))                                                  \
  X(aclDestroyFloatArray, aclError, (const aclFloatArray*))                                                         \
  X(aclCreateBoolArray, aclBoolArray*, (const bool*, uint64_t))                                                     \
  X(aclDestroyBoolArray, aclError, (const aclBoolArray*))                                                           \
  X(aclCreateTensorList, aclTensorList*, (const aclTensor* const*, uint64_t))                                       \
  X(aclDestroyTensorList, aclError, (const aclTensorList*))                                                         \
  X(aclCreateScalarList, aclScalarList*, (const aclScalar* const*, uint64_t))                                       \
  X(aclDestroyScalarList, aclError, (const aclScalarList*))

// Functions that older releases of CANN lack; their pointers are then NULL.
#define MT_ACL_OPTIONAL_FUNCTIONS(X)                                                                \
  X(aclGetRecentErrMsg, const char*, ())                                                            \
  X(aclrtStreamAbort, aclError, (aclrtStream))                                                      \
  X(aclGetViewShape, aclnnStatus, (const aclTensor*, int64_t** sizes, uint64_t* dims))              \
  X(aclrtGetDeviceInfo, aclError, (uint32_t device, int32_t attribute, int64_t* value))             \
  X(aclrtDeviceCanAccessPeer, aclError, (int32_t* can, int32_t device, int32_t peer))               \
  X(aclmdlRICaptureBegin, aclError, (aclrtStream, int32_t mode))                                    \
  X(aclmdlRICaptureEnd, aclError, (aclrtStream, aclmdlRI*))                                         \
  X(aclmdlRICaptureGetInfo, aclError, (aclrtStream, int32_t* status, aclmdlRI*))                    \
  X(aclmdlRIExecuteAsync, aclError, (aclmdlRI, aclrtStream))                                        \
  X(aclmdlRIDestroy, aclError, (aclmdlRI))                                                          \
  X(mtsim_set_faults, aclError, (const char* faults))                                               \
  X(mtsim_counters, void, (void (*visit)(void* user, const char* name, int64_t value), void* user)) \
  X(mtsim_reset_counters, void, ())                                                                 \
  X(mtsim_race, const char*, ())

namespace mt::npu {

struct Acl {
#define MT_ACL_FIELD(name, result, parameters) result(*name) parameters = nullptr;
  MT_ACL_FUNCTIONS(MT_ACL_FIELD)
  MT_ACL_OPTIONAL_FUNCTIONS(MT_ACL_FIELD)
#undef MT_ACL_FIELD
};

// Returns the library, after loading it if needed; raises if there is none.
const Acl& acl();
const Acl* loaded_acl() noexcept;  // nullptr if it is not loaded
bool try_load_acl_library();       // false if no library is found
void load(const char* path);
const char* library_path() noexcept;
// The address of another function ("aclnnAddGetWorkspaceSize"), or nullptr.
void* find_symbol(const char* name);

// Raises for a code other than success: "NPU error: aclrtMalloc failed with code 507015 (...)".
void check_call(const char* call, aclError code);
[[noreturn]] void fail_call(const char* call, aclError code);

}  // namespace mt::npu

#define MT_ACL(function, ...) ::mt::npu::check_call(#function, ::mt::npu::acl().function(__VA_ARGS__))
