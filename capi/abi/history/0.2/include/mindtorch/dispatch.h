/* The dispatcher: keys, thread-local guards, redispatch, and operators, kernels and fallbacks registered from outside. */
#ifndef MINDTORCH_DISPATCH_H_
#define MINDTORCH_DISPATCH_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Dispatch keys, lowest priority first. A key set is a bit mask of 1 << key; a call goes to the highest key. */
enum {
  MT_KEY_CPU = 0,
  MT_KEY_NPU = 1,
  MT_KEY_META = 2,
  MT_KEY_SPARSE = 3,             /* MT_SPARSE_COO tensors */
  MT_KEY_SPARSE_COMPRESSED = 4,  /* MT_SPARSE_CSR, CSC, BSR, BSC tensors */
  MT_KEY_NEGATIVE = 5,
  MT_KEY_CONJUGATE = 6,
  MT_KEY_PYTHON = 7,             /* tensors with __torch_dispatch__ */
  MT_KEY_VIEW_AND_VERSION = 8,   /* bookkeeping of in-place writes and views */
  MT_KEY_AUTOGRAD = 9,
  MT_KEY_AUTOCAST = 10,
  MT_KEY_TRANSFORMS = 11,        /* vmap, grad and jvp levels */
  MT_KEY_PYTHON_MODE = 12,       /* reserved for modes above everything */
  MT_KEY_PIPELINE = 13,
  MT_KEY_COMPOSITE = 14,         /* never in a tensor's key set: selects an operator's composite body in functions with a key argument */
  MT_KEY_COUNT = 14              /* the name of MT_KEY_COMPOSITE in 0.1; not the number of keys */
};

/* The keys that the calling thread adds to and removes from the key set of every call. */
MT_API mt_status* mt_dispatch_keys_get(uint64_t* included, uint64_t* excluded);
MT_API mt_status* mt_dispatch_keys_set(uint64_t included, uint64_t excluded);
/* Adds keys to and removes keys from one tensor (MT_KEY_PYTHON and MT_KEY_TRANSFORMS only). */
MT_API mt_status* mt_tensor_keys_set(mt_tensor* tensor, uint64_t add, uint64_t remove);

/* Calls the handler for the highest key in `keys`, and ignores the arguments' own keys. Pass all arguments: n must equal the schema's
 * count. */
MT_API mt_status* mt_op_redispatch(const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets, int64_t capacity,
                                   int64_t* n_rets);
/* Runs the body of a composite operator (NotImplementedError for others). */
MT_API mt_status* mt_op_decompose(const mt_op* op, const mt_value* args, int64_t n, mt_value* rets, int64_t capacity, int64_t* n_rets);
/* Whether the operator itself has a kernel for a key, not counting fallbacks. */
MT_API mt_status* mt_op_has_kernel(const mt_op* op, int32_t key, int32_t* out);

/* A kernel or fallback. All arguments are boxed and borrowed, with defaults filled in; it writes n_rets owned results. `keys` is the key
 * set of the call. */
typedef mt_status* (*mt_kernel_fn)(void* user, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets,
                                   int64_t n_rets);
/* Handles every operator without a kernel for a key. `destroy(user)` runs exactly once, when the fallback is replaced or removed (kernel
 * NULL). */
MT_API mt_status* mt_fallback_register(int32_t key, mt_kernel_fn kernel, void* user, void (*destroy)(void* user));

/* Defines an operator: "myops::scale(Tensor self, float factor) -> Tensor". */
MT_API mt_status* mt_op_define(const char* schema, const mt_op** out);
/* Sets the kernel of one operator for a key; MT_KEY_COMPOSITE: a composite body, for every key. */
MT_API mt_status* mt_op_register_kernel(const mt_op* op, int32_t key, mt_kernel_fn kernel, void* user, void (*destroy)(void* user));
/*
 * Sets the derivative. It gets the incoming gradients (none if undefined), all arguments, and all results of the
 * forward call, and returns one value per argument: a tensor, or none. With create_graph its calls are recorded, so double backward
 * works. RuntimeError if the operator already has a derivative.
 */
typedef mt_status* (*mt_derivative_fn)(void* user, const mt_op* op, const mt_value* grads, int64_t n_grads, const mt_value* args,
                                       int64_t n_args, const mt_value* results, int64_t n_results, mt_value* grad_args);
MT_API mt_status* mt_op_register_derivative(const mt_op* op, mt_derivative_fn derivative, void* user, void (*destroy)(void* user));

/* ---- autocast (per thread) ---------------------------------------------------------------------------------------------- */

MT_API mt_status* mt_autocast_get(int32_t device_type, int32_t* enabled, int32_t* dtype);  /* either may be NULL */
MT_API mt_status* mt_autocast_set(int32_t device_type, int32_t enabled, int32_t dtype);  /* dtype -1: unchanged */
MT_API mt_status* mt_autocast_cache_get(int32_t* enabled);  /* whether the region caches casts of leaves */
MT_API mt_status* mt_autocast_cache_set(int32_t enabled);
MT_API mt_status* mt_autocast_cache_clear(void);  /* drops the cached casts of all threads */

#ifdef __cplusplus
}
#endif

#endif
