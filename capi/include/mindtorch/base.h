/* Base of the MindTorch C ABI: statuses, enumerations, handles and the boxed value. */
#ifndef MINDTORCH_BASE_H_
#define MINDTORCH_BASE_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MT_API __attribute__((visibility("default")))
#else
#define MT_API
#endif

/* The release of these headers; mt_version() returns the library's. */
#define MT_VERSION_MAJOR 0
#define MT_VERSION_MINOR 3
#define MT_VERSION_PATCH 0
/* The generation of the ABI. A program compiled against it runs with every later library of the same generation. */
#define MT_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Conventions of all functions in this ABI
 *
 * - A function that can fail returns `mt_status*`: NULL is success, otherwise the caller owns the status and frees
 *   it with mt_status_release(). Outputs are written on success only.
 * - Handles (tensor, storage, generator, node) are opaque and reference counted. The caller owns a handle that a function
 *   returns through an out-pointer (+1) unless the function's name ends in `_borrow`; handles passed in are borrowed.
 *   retain and release accept NULL and then do nothing.
 * - NULL and handles of the wrong type are refused with a status of kind "TypeError".
 * - Unless a declaration says otherwise, a function may be called from any thread, and two threads may use one
 *   tensor at the same time as long as neither writes to it. The library holds no lock while it runs a callback.
 * - Modes belong to the operating system's thread that sets them: gradients, inference and autocast (autograd.h), dispatch keys, the
 *   warning handler, vmap levels, pipelines. A goroutine, a coroutine or a task that may continue on another thread must be locked
 *   to its thread (Go: runtime.LockOSThread) from the call that sets a mode to the call that restores it; a coroutine that suspends in
 *   between leaves the mode to whatever runs on the thread next.
 * - A public struct that may grow starts with `struct_size`, which the caller sets to sizeof(the struct). The library writes the fields
 *   that fit and zeros to fields unknown to it; it reads fields missing in the caller's struct as zero, and refuses a struct
 *   with nonzero fields that it does not know. In arrays of such structs, the first one's struct_size is the step.
 * - mt_value, mt_device, mt_edge and mt_profile_input have no struct_size: they never change.
 * - Enumerations are passed as int32_t; unknown values are refused with a status.
 */

typedef struct mt_status mt_status;
typedef struct mt_tensor mt_tensor;
typedef struct mt_storage mt_storage;
typedef struct mt_generator mt_generator;
typedef struct mt_node mt_node;
typedef struct mt_op mt_op; /* immutable, never freed, not reference counted */

/* ---- statuses ------------------------------------------------------------------------------------------------ */

enum {
  MT_OK = 0,
  MT_ERROR = 1,          /* any failure; see its kind */
  MT_OUT_OF_MEMORY = 2,  /* a static status: releasing it is a no-op */
  MT_NOT_IMPLEMENTED = 3
};

/* The code of a status (MT_OK for NULL). */
MT_API int32_t mt_status_code(const mt_status* status);
/* The Python-style kind: "RuntimeError", "TypeError", "IndexError", "ValueError", "NotImplementedError", ... Owned by the status. */
MT_API const char* mt_status_kind(const mt_status* status);
enum {  /* kinds as numbers */
       MT_KIND_NONE = 0,   /* no error: the status is NULL */
       MT_KIND_OTHER = 1,  /* a kind without a number */
       MT_KIND_RUNTIME_ERROR = 2,
       MT_KIND_TYPE_ERROR = 3,
       MT_KIND_INDEX_ERROR = 4,
       MT_KIND_VALUE_ERROR = 5,
       MT_KIND_NOT_IMPLEMENTED_ERROR = 6,
       MT_KIND_OUT_OF_MEMORY_ERROR = 7, /* of a device; the CPU's is a RUNTIME_ERROR with the code MT_OUT_OF_MEMORY */
       MT_KIND_MEMORY_ERROR = 8,
       MT_KIND_ATTRIBUTE_ERROR = 9,
       MT_KIND_LINALG_ERROR = 10,
       MT_KIND_OVERFLOW_ERROR = 11,
       MT_KIND_ZERO_DIVISION_ERROR = 12,
       MT_KIND_IMPORT_ERROR = 13,
       MT_KIND_ASSERTION_ERROR = 14,
       MT_KIND_KEY_ERROR = 15,
       MT_KIND_BUFFER_ERROR = 16,
       MT_KIND_UNPICKLING_ERROR = 17,
       MT_KIND_DIST_ERROR = 18, /* every kind that begins with "Dist": of groups, backends, stores and the network */
       MT_KIND_COUNT = 19
};
/* The kind as a number, for a switch. Later versions may give a number to a kind that has none. */
MT_API int32_t mt_status_kind_code(const mt_status* status);
/* The message, UTF-8, owned by the status. */
MT_API const char* mt_status_message(const mt_status* status);
/* The status that caused this one, or NULL; owned by `status`. */
MT_API const mt_status* mt_status_cause_borrow(const mt_status* status);
/* The foreign payload that the status was created with, or NULL; owned by `status`. */
MT_API void* mt_status_payload_borrow(const mt_status* status);
/* Frees a status and, through its destroy function, its payload. NULL is a no-op. */
MT_API void mt_status_release(mt_status* status);
/* Creates a status for a callback to return. Never NULL: without memory, it returns the static out-of-memory status. */
MT_API mt_status* mt_status_create(const char* kind, const char* message);
/* Like mt_status_create, with a `payload` (for example an exception object). `destroy` gets it once, when the status is freed.
 * The call that ran the failed callback returns this same status, so the payload passes through the library. */
MT_API mt_status* mt_status_create_with_payload(const char* kind, const char* message, void* payload, void (*destroy)(void* payload));

/* Sets `cause` as the cause of `status`, takes ownership of `cause`, and returns `status`. */
MT_API mt_status* mt_status_set_cause(mt_status* status, mt_status* cause);

/* ---- enumerations --------------------------------------------------------------------------------------------- */

enum {  /* dtypes */
       MT_UINT8 = 0,
       MT_INT8 = 1,
       MT_INT16 = 2,
       MT_INT32 = 3,
       MT_INT64 = 4,
       MT_FLOAT16 = 5,
       MT_FLOAT32 = 6,
       MT_FLOAT64 = 7,
       MT_COMPLEX32 = 8,
       MT_COMPLEX64 = 9,
       MT_COMPLEX128 = 10,
       MT_BOOL = 11,
       MT_BFLOAT16 = 15,
       MT_FLOAT8_E5M2 = 23,
       MT_FLOAT8_E4M3FN = 24,
       MT_FLOAT8_E5M2FNUZ = 25,
       MT_FLOAT8_E4M3FNUZ = 26,
       MT_UINT16 = 27,
       MT_UINT32 = 28,
       MT_UINT64 = 29,
       MT_FLOAT8_E8M0FNU = 44
};
enum {  /* layouts */
       MT_STRIDED = 0,
       MT_SPARSE_COO = 1,
       MT_SPARSE_CSR = 2,
       MT_SPARSE_CSC = 4,
       MT_SPARSE_BSR = 5,
       MT_SPARSE_BSC = 6
};
enum { MT_CONTIGUOUS_FORMAT = 0, MT_PRESERVE_FORMAT = 1, MT_CHANNELS_LAST = 2, MT_CHANNELS_LAST_3D = 3 };
enum { MT_CPU = 0, MT_CUDA = 1, MT_META = 14, MT_NPU = 20 };  /* device types; mt_device_parse accepts others, without a backend */

typedef struct mt_device {
  int32_t type;
  int32_t index; /* -1: unspecified */
} mt_device;

/* Name of a dtype as torch spells it without "torch." ("float32"), or NULL for an unknown one. */
MT_API const char* mt_dtype_name(int32_t dtype);
/* Bytes of one element, 0 for an unknown dtype. */
MT_API int32_t mt_dtype_size(int32_t dtype);
/* The result dtype of an operation between two tensors of these dtypes, both with dimensions. */
MT_API mt_status* mt_dtype_promote(int32_t a, int32_t b, int32_t* out);
/* Parses "cpu", "npu:1", "meta", ... with torch's error texts. */
MT_API mt_status* mt_device_parse(const char* text, mt_device* out);
/* The name of a device type ("cpu"), or NULL for an unknown one. */
MT_API const char* mt_device_type_name(int32_t type);

/* ---- the boxed value ------------------------------------------------------------------------------------------ */

enum {
  MT_TAG_DEFAULT = 0,   /* the argument is omitted: its default applies */
  MT_TAG_NONE = 1,
  MT_TAG_BOOL = 2,
  MT_TAG_INT = 3,
  MT_TAG_DOUBLE = 4,
  MT_TAG_COMPLEX = 5,
  MT_TAG_DTYPE = 6,
  MT_TAG_LAYOUT = 7,
  MT_TAG_MEMORY_FORMAT = 8,
  MT_TAG_DEVICE = 9,
  MT_TAG_STRING = 10,   /* as.string, not necessarily NUL-terminated */
  MT_TAG_TENSOR = 11,
  MT_TAG_GENERATOR = 12,
  MT_TAG_STORAGE = 13,
  MT_TAG_STREAM = 14,
  MT_TAG_INTS = 15,
  MT_TAG_DOUBLES = 16,
  MT_TAG_BOOLS = 17,  /* lists: as.list of int64_t, double, uint8_t */
  MT_TAG_TENSORS = 18,   /* as.list of mt_tensor*, none NULL */
  MT_TAG_OPTIONAL_TENSORS = 19,  /* as.list of mt_tensor*, NULL for None */
  MT_TAG_SCALARS = 20,   /* as.list of mt_value, each a number */
  MT_TAG_STRINGS = 21    /* as.list of mt_value, each a string */
};
enum {
  MT_FLAG_OWNED = 1,     /* a result: mt_value_clear frees what it refers to */
  MT_FLAG_UNSIGNED = 2   /* an MT_TAG_INT whose bits are a uint64_t */
};

typedef struct mt_value {
  int32_t tag;
  int32_t flags;
  union {
    int64_t i;           /* bool (0 or 1), int, dtype, layout, memory format */
    double d;
    double c[2];         /* complex: real, imaginary */
    mt_device device;
    mt_tensor* tensor;
    mt_generator* generator;
    mt_storage* storage;
    void* stream;
    struct {
      const char* data;
      int64_t size;
    } string;
    struct {
      const void* data;
      int64_t size;
    } list;
  } as;
} mt_value;

/* Frees what an owned value refers to and makes it none. Safe on any value that this library wrote, and on NULL. */
MT_API void mt_value_clear(mt_value* value);
/* An owned copy of a value: shares tensors, copies lists and strings. A callback returns lists this way. */
MT_API mt_status* mt_value_copy(const mt_value* value, mt_value* out);

/* ---- the library ---------------------------------------------------------------------------------------------- */

/* Reads and checks the operator registry; every other call does so implicitly. Thread-safe. */
MT_API mt_status* mt_init(void);
/* The library's version, "0.3.0": MT_VERSION_MAJOR.MT_VERSION_MINOR.MT_VERSION_PATCH of its headers. Never freed. */
MT_API const char* mt_version(void);
/* MT_ABI_VERSION of the library's headers. */
MT_API int32_t mt_abi_version(void);

/* The library's functions for a plugin, which does not link to the library. */
typedef struct mt_api {
  size_t struct_size;
  int32_t abi_version;
  /* The address of an exported function by its name, or NULL. */
  void* (*symbol)(const char* name);
} mt_api;
/* The library's functions for a plugin that supports ABI versions from `min` to `max`. RuntimeError if this library has none
 * of them; otherwise *got is the version. *out is never freed. */
MT_API mt_status* mt_get_api(int32_t min, int32_t max, int32_t* got, const mt_api** out);

/* ---- warnings and logs ---------------------------------------------------------------------------------------- */

/* Handles a warning; the category is Python's ("UserWarning"). If it returns a status, the call that warned fails with it. */
typedef mt_status* (*mt_warning_fn)(void* user, const char* category, const char* message);
/* Sets the calling thread's handler (NULL drops warnings), and returns the previous one if the pointers are not NULL. */
MT_API mt_status* mt_warning_handler_set(mt_warning_fn handler, void* user, mt_warning_fn* old_handler, void** old_user);
/* Emits a warning through the calling thread's handler. */
MT_API mt_status* mt_warn(const char* category, const char* message);

#ifdef __cplusplus
}
#endif

#endif
