/* Devices: what every type answers, and devices of one's own. */
#ifndef MINDTORCH_DEVICE_H_
#define MINDTORCH_DEVICE_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A device of one's own takes the NPU's place: the type MT_NPU ("npu", torch's "privateuseone") and the dispatch key MT_KEY_NPU. It is a
 * table of functions for memory and copies, and kernels that are registered with mt_op_register_kernel. One process has one backend for
 * that type: the vendor's ACL (npu.h), or one of these. Operators whose body is other operators work on it unchanged; an operator without
 * a kernel raises NotImplementedError. The functions of npu.h are ACL's alone.
 */

enum { MT_COPY_HOST_TO_DEVICE = 1, MT_COPY_DEVICE_TO_HOST = 2, MT_COPY_DEVICE_TO_DEVICE = 3 };  /* `direction` */

/*
 * Called from any thread, several at once; no lock is held. `user` is the table's. A status that a function returns comes out of the call
 * that needed it. Devices are numbers from 0. Functions marked optional may be NULL.
 */
typedef struct mt_device_backend {
  size_t struct_size;
  const char* name; /* for messages; lives as long as the process */
  void* user;
  mt_status* (*count)(void* user, int32_t* out);
  /* The calling thread's device. Optional, both or none: then it is always device 0. */
  mt_status* (*get_device)(void* user, int32_t* out);
  mt_status* (*set_device)(void* user, int32_t device);
  /* Memory of at least `nbytes` (more than 0), aligned to 64 bytes. The address need not be one that the host may touch. Fails with the
   * kind "OutOfMemoryError" where there is none. */
  mt_status* (*allocate)(void* user, int32_t device, int64_t nbytes, void** out);
  void (*release)(void* user, void* memory);
  /* Bytes, in the order of the calls of one thread. Host memory may be reused when it returns. */
  mt_status* (*copy)(void* user, int32_t device, int32_t direction, void* to, const void* from, int64_t nbytes);
  /* Elements of a tensor to another on one device: broadcast, converted, with any strides. */
  mt_status* (*copy_elements)(void* user, const mt_tensor* to, const mt_tensor* from);
  /* All elements of a tensor set to a number (tags bool, int, double, complex). */
  mt_status* (*fill)(void* user, const mt_tensor* tensor, const mt_value* number);
  /* Waits for all work. Optional: work is done when the call that asked for it returns. */
  mt_status* (*synchronize)(void* user, int32_t device);
  /* Bytes that are allocated and not released. Optional. */
  mt_status* (*memory_in_use)(void* user, int32_t device, int64_t* out);
} mt_device_backend;

/* Makes a table the backend of MT_NPU, for the life of the process; it is copied. RuntimeError where there is one already, TypeError where
 * a function that is not optional is missing. */
MT_API mt_status* mt_device_serve(const mt_device_backend* backend);

/*
 * A plugin is a shared library with one entry of this type and name. It links to nothing: `get_api` (mt_get_api) is its way to the
 * library's functions. It registers its kernels and fills the table in (struct_size is set); a status makes the load fail.
 */
typedef mt_status* (*mt_get_api_fn)(int32_t min, int32_t max, int32_t* got, const mt_api** out);
typedef mt_status* (*mt_device_plugin_fn)(mt_get_api_fn get_api, mt_device_backend* backend);
#define MT_DEVICE_PLUGIN_ENTRY "mindtorch_device_plugin"

/* Loads a plugin, or a library with ACL's interface (as mt_npu_load). It stays loaded. RuntimeError where it cannot be loaded or another
 * backend is there. */
MT_API mt_status* mt_device_load(const char* path);
/* The name of the backend of MT_NPU: that of its table, "acl", or NULL for none. Lives for ever. Loads nothing. */
MT_API const char* mt_device_backend_name(void);

/* How many devices of a type there are: 1 for MT_CPU and MT_META, 0 for types without a backend. */
MT_API mt_status* mt_device_count(int32_t type, int32_t* out);
/* The calling thread's device of MT_NPU; 0 for MT_CPU and MT_META. */
MT_API mt_status* mt_device_get(int32_t type, int32_t* out);
MT_API mt_status* mt_device_set(int32_t type, int32_t device);
/* Waits for all work of a device, and gives the first error that it had. */
MT_API mt_status* mt_device_synchronize(int32_t type, int32_t device);
/* Bytes of a device that are in use. NotImplementedError where the backend does not know, or for other types than MT_NPU. */
MT_API mt_status* mt_device_memory_in_use(int32_t type, int32_t device, int64_t* out);

#ifdef __cplusplus
}
#endif

#endif
