/* The functions of CUDA's runtime that extensions built with CUDA call when they are loaded: registration of code, and a device
   count of 0. */
#include <stddef.h>

enum { success = 0, no_device = 100 };

static _Thread_local int last_error = success;

static int fail(void) {
  last_error = no_device;
  return no_device;
}

#define EXPORT __attribute__((visibility("default")))
/* Arguments are ignored: callers may pass some to a function that takes none. */
#define WITHOUT_DEVICE(name) \
  EXPORT int name(void) { return fail(); }
WITHOUT_DEVICE(cudaDeviceGetAttribute)
WITHOUT_DEVICE(cudaDeviceSynchronize)
WITHOUT_DEVICE(cudaEventCreate)
WITHOUT_DEVICE(cudaEventCreateWithFlags)
WITHOUT_DEVICE(cudaEventDestroy)
WITHOUT_DEVICE(cudaEventElapsedTime)
WITHOUT_DEVICE(cudaEventQuery)
WITHOUT_DEVICE(cudaEventRecord)
WITHOUT_DEVICE(cudaEventSynchronize)
WITHOUT_DEVICE(cudaFree)
WITHOUT_DEVICE(cudaFreeAsync)
WITHOUT_DEVICE(cudaFreeHost)
WITHOUT_DEVICE(cudaFuncGetAttributes)
WITHOUT_DEVICE(cudaFuncSetAttribute)
WITHOUT_DEVICE(cudaGetDevice)
WITHOUT_DEVICE(cudaGetDeviceProperties)
WITHOUT_DEVICE(cudaHostAlloc)
WITHOUT_DEVICE(cudaLaunchKernel)
WITHOUT_DEVICE(cudaLaunchKernelExC)
WITHOUT_DEVICE(cudaMalloc)
WITHOUT_DEVICE(cudaMallocAsync)
WITHOUT_DEVICE(cudaMallocHost)
WITHOUT_DEVICE(cudaMemGetInfo)
WITHOUT_DEVICE(cudaMemcpy)
WITHOUT_DEVICE(cudaMemcpy2D)
WITHOUT_DEVICE(cudaMemcpy2DAsync)
WITHOUT_DEVICE(cudaMemcpyAsync)
WITHOUT_DEVICE(cudaMemset)
WITHOUT_DEVICE(cudaMemsetAsync)
WITHOUT_DEVICE(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
WITHOUT_DEVICE(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
WITHOUT_DEVICE(cudaPointerGetAttributes)
WITHOUT_DEVICE(cudaSetDevice)
WITHOUT_DEVICE(cudaStreamCreate)
WITHOUT_DEVICE(cudaStreamCreateWithFlags)
WITHOUT_DEVICE(cudaStreamDestroy)
WITHOUT_DEVICE(cudaStreamQuery)
WITHOUT_DEVICE(cudaStreamSynchronize)
WITHOUT_DEVICE(cudaStreamWaitEvent)
WITHOUT_DEVICE(__cudaGetKernel)
WITHOUT_DEVICE(__cudaLaunchKernel)
WITHOUT_DEVICE(__cudaPopCallConfiguration)

EXPORT int cudaGetDeviceCount(int* count) {
  if (count) *count = 0;
  return fail();
}
EXPORT int cudaGetLastError(void) {
  const int error = last_error;
  last_error = success;
  return error;
}
EXPORT int cudaPeekAtLastError(void) { return last_error; }
EXPORT const char* cudaGetErrorName(int error) {
  return error == success ? "cudaSuccess" : error == no_device ? "cudaErrorNoDevice" : "unrecognized error code";
}
EXPORT const char* cudaGetErrorString(int error) {
  return error == success ? "no error" : error == no_device ? "no CUDA-capable device is detected" : "unrecognized error code";
}

/* Called by static initialisers: nothing is stored, since no device could run the registered code. */
EXPORT void** __cudaRegisterFatBinary(void) {
  static void* handle = NULL;
  return &handle;
}
EXPORT void __cudaRegisterFatBinaryEnd(void) {}
EXPORT void __cudaUnregisterFatBinary(void) {}
EXPORT void __cudaRegisterFunction(void) {}
EXPORT void __cudaRegisterVar(void) {}
EXPORT char __cudaInitModule(void) { return 0; }
EXPORT unsigned __cudaPushCallConfiguration(void) { return 0; }
