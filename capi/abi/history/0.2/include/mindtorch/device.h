/* Devices: functions for every device type, and custom devices. */
#ifndef MINDTORCH_DEVICE_H_
#define MINDTORCH_DEVICE_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A custom device replaces the NPU: it has the type MT_NPU ("npu", torch's "privateuseone") and the dispatch key MT_KEY_NPU. It consists
 * of a table of functions for memory and copies, and kernels registered with mt_op_register_kernel. A process has one backend for
 * that type: the vendor's ACL (npu.h), or a custom one. Composite operators work on it without further code; any other operator without
 * a kernel raises NotImplementedError. The functions of npu.h work with ACL only.
 */

enum { MT_COPY_HOST_TO_DEVICE = 1, MT_COPY_DEVICE_TO_HOST = 2, MT_COPY_DEVICE_TO_DEVICE = 3 };  /* `direction` */

/*
 * The library calls these functions from any thread, also concurrently, and holds no lock. They get the table's `user`. If one returns a
 * status, the call that needed it fails with that status. Devices are numbered from 0. Functions marked optional may be NULL.
 */
typedef struct mt_device_backend {
  size_t struct_size;
  const char* name; /* for messages; never freed */
  void* user;
  mt_status* (*count)(void* user, int32_t* out);
  /* The calling thread's device. Optional, both or none: without them it is always device 0. */
  mt_status* (*get_device)(void* user, int32_t* out);
  mt_status* (*set_device)(void* user, int32_t device);
  /* Memory of at least `nbytes` (more than 0), aligned to 64 bytes. The host need not be able to access it. Fails with the
   * kind "OutOfMemoryError" if there is not enough. */
  mt_status* (*allocate)(void* user, int32_t device, int64_t nbytes, void** out);
  void (*release)(void* user, void* memory);
  /* Copies bytes, in the order of the calls of one thread. Host memory may be reused when it returns. */
  mt_status* (*copy)(void* user, int32_t device, int32_t direction, void* to, const void* from, int64_t nbytes);
  /* Copies elements between tensors on one device: broadcasts, converts dtypes, and supports any strides. */
  mt_status* (*copy_elements)(void* user, const mt_tensor* to, const mt_tensor* from);
  /* Sets all elements of a tensor to a number (tags bool, int, double, complex). */
  mt_status* (*fill)(void* user, const mt_tensor* tensor, const mt_value* number);
  /* Waits for all work. Optional: without it, every call is synchronous. */
  mt_status* (*synchronize)(void* user, int32_t device);
  /* The number of bytes allocated and not released. Optional. */
  mt_status* (*memory_in_use)(void* user, int32_t device, int64_t* out);
} mt_device_backend;

/* Copies a table and makes it the backend of MT_NPU until the process ends. RuntimeError if there is already one, TypeError if
 * a required function is missing. */
MT_API mt_status* mt_device_serve(const mt_device_backend* backend);

/*
 * A plugin is a shared library with one entry point of this type and name. It links to nothing and gets the library's functions from
 * `get_api` (mt_get_api). It registers kernels and fills in the table (struct_size is set); if it returns a status, loading fails.
 */
typedef mt_status* (*mt_get_api_fn)(int32_t min, int32_t max, int32_t* got, const mt_api** out);
typedef mt_status* (*mt_device_plugin_fn)(mt_get_api_fn get_api, mt_device_backend* backend);
#define MT_DEVICE_PLUGIN_ENTRY "mindtorch_device_plugin"

/* Loads a plugin, or a library with ACL's interface (like mt_npu_load). It stays loaded. RuntimeError if it cannot be loaded or there
 * is already another backend. */
MT_API mt_status* mt_device_load(const char* path);
/* The name of the backend of MT_NPU: the table's name, "acl", or NULL for none. Never freed. Loads nothing. */
MT_API const char* mt_device_backend_name(void);

/* The number of devices of a type: 1 for MT_CPU and MT_META, 0 for types without a backend. */
MT_API mt_status* mt_device_count(int32_t type, int32_t* out);
/* The calling thread's device of MT_NPU; 0 for MT_CPU and MT_META. */
MT_API mt_status* mt_device_get(int32_t type, int32_t* out);
MT_API mt_status* mt_device_set(int32_t type, int32_t device);
/* Waits for all work of a device, and returns its first error. */
MT_API mt_status* mt_device_synchronize(int32_t type, int32_t device);
/* The number of bytes in use on a device. NotImplementedError if the backend does not count them, or for other types than MT_NPU. */
MT_API mt_status* mt_device_memory_in_use(int32_t type, int32_t device, int64_t* out);

#ifdef __cplusplus
}
#endif

#endif
