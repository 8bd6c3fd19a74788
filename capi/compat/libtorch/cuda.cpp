// CUDA's part of the stable ABI, for extensions that were built with CUDA: every function reports that CUDA is not available.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support.h"

extern "C" int32_t mindtorch_extension_fail(const char* text);  // in libtorch_cpu.so

// Defines a function that fails. It declares no parameters, though callers pass some: the C calling convention ignores surplus arguments.
#define STABLE_WITHOUT_CUDA(name) \
  STABLE_ABI int32_t name() { return mindtorch_extension_fail("Torch not compiled with CUDA enabled"); }
STABLE_WITHOUT_CUDA(aoti_torch_create_cuda_guard)
STABLE_WITHOUT_CUDA(aoti_torch_delete_cuda_guard)
STABLE_WITHOUT_CUDA(aoti_torch_cuda_guard_set_index)
STABLE_WITHOUT_CUDA(aoti_torch_create_cuda_stream_guard)
STABLE_WITHOUT_CUDA(aoti_torch_delete_cuda_stream_guard)
STABLE_WITHOUT_CUDA(aoti_torch_get_current_cuda_stream)
STABLE_WITHOUT_CUDA(aoti_torch_cuda_caching_allocator_raw_alloc)
STABLE_WITHOUT_CUDA(aoti_torch_cuda_caching_allocator_raw_delete)
STABLE_WITHOUT_CUDA(torch_get_current_cuda_blas_handle)
STABLE_WITHOUT_CUDA(torch_set_current_cuda_stream)
STABLE_WITHOUT_CUDA(torch_get_cuda_stream_from_pool)
STABLE_WITHOUT_CUDA(torch_cuda_stream_synchronize)

// Writes the message for an error code of CUDA's runtime, NULL for success; torch_c10_cuda_free_error_msg frees it.
STABLE_ABI int32_t torch_c10_cuda_check_msg(int32_t err, const char*, const char*, uint32_t, bool, char** error_msg) {
  if (!error_msg) return mindtorch_extension_fail("error_msg is NULL");
  char text[80];
  std::snprintf(text, sizeof text, "CUDA error: there is no CUDA in this library (code %d)", err);
  *error_msg = err ? strdup(text) : nullptr;
  return 0;
}
STABLE_ABI void torch_c10_cuda_free_error_msg(char* error_msg) { std::free(error_msg); }
