/* Tensors and storages: creation, properties, views, DLPack, and objects of other languages that are bound to them. */
#ifndef MINDTORCH_TENSOR_H_
#define MINDTORCH_TENSOR_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

MT_API void mt_tensor_retain(mt_tensor* tensor);  /* adds a reference */
MT_API void mt_tensor_release(mt_tensor* tensor);  /* drops a reference; the last frees it on this thread */
/* The number of references to a tensor, including the caller's. */
MT_API mt_status* mt_tensor_use_count(const mt_tensor* tensor, int64_t* out);

/* ---- creation -------------------------------------------------------------------------------------------------- */

/* A new contiguous tensor of `ndim` sizes with uninitialised elements. */
MT_API mt_status* mt_tensor_empty(const int64_t* sizes, int64_t ndim, int32_t dtype, mt_device device, mt_tensor** out);
/* A tensor over the caller's memory (no copy). strides (in elements) may be NULL: contiguous. `deleter(context)` runs once, on any
 * thread, when no tensor uses the memory any more. On failure it is not called, and the caller still owns the memory. `data` may have any
 * alignment, also one that is no multiple of the element's size (x86-64 and 64-bit ARM); 64 bytes, the library's own, are fastest. */
MT_API mt_status* mt_tensor_from_data(void* data, const int64_t* sizes, const int64_t* strides, int64_t ndim, int32_t dtype,
                                      mt_device device, void (*deleter)(void* context), void* context, mt_tensor** out);
/* A new tensor with a copy of `count` contiguous elements. */
MT_API mt_status* mt_tensor_from_copy(const void* data, const int64_t* sizes, int64_t ndim, int32_t dtype, mt_tensor** out);
/* A 0-dim tensor of a number (tags bool, int, double, complex). With `wrapped`, type promotion treats it like a
 * Python number. dtype -1: bool, int64, the default float dtype, or the complex dtype of that precision. */
MT_API mt_status* mt_tensor_from_scalar(const mt_value* number, int32_t dtype, int32_t wrapped, mt_tensor** out);

/* ---- properties ------------------------------------------------------------------------------------------------ */

enum {  /* bits of mt_tensor_info.flags */
       MT_TENSOR_REQUIRES_GRAD = 1 << 0,   /* leaf that requires grad, or result that has a grad_fn */
       MT_TENSOR_IS_LEAF = 1 << 1,
       MT_TENSOR_IS_VIEW = 1 << 2,         /* a differentiable view of another tensor */
       MT_TENSOR_IS_CONJ = 1 << 3,
       MT_TENSOR_IS_NEG = 1 << 4,
       MT_TENSOR_IS_INFERENCE = 1 << 5,
       MT_TENSOR_IS_WRAPPED_NUMBER = 1 << 6,
       MT_TENSOR_IS_CONTIGUOUS = 1 << 7,
       MT_TENSOR_RETAINS_GRAD = 1 << 8,
       MT_TENSOR_HAS_GRAD = 1 << 9
};

typedef struct mt_tensor_info {
  size_t struct_size;
  int64_t ndim;
  const int64_t* sizes;   /* borrowed: valid until the tensor is resized, set, or freed */
  const int64_t* strides; /* in elements; likewise. Zeros if the layout is sparse */
  int64_t numel;
  int64_t storage_offset; /* in elements */
  int32_t dtype;
  mt_device device;
  int32_t layout;         /* all but MT_STRIDED are sparse, without memory: operators (indices, values, ...) return the components */
  uint32_t flags;
  uint64_t keys;          /* dispatch keys: see dispatch.h */
} mt_tensor_info;

/* Fills everything that describes a tensor, without touching its elements. */
MT_API mt_status* mt_tensor_get_info(const mt_tensor* tensor, mt_tensor_info* out);
/* Pointer to the first element: storage base + offset; NULL for zero elements, on meta, and if the storage was resized to no bytes.
 * RuntimeError if it is sparse. On devices other than the CPU it is an address of the device's memory, for its own functions only:
 * the host must not read it; copy the tensor to the CPU with _to_copy. */
MT_API mt_status* mt_tensor_data(const mt_tensor* tensor, void** out);
/* The same pointer, only to read through: a lazy clone does not get bytes of its own, and a later write may move them. */
MT_API mt_status* mt_tensor_const_data(const mt_tensor* tensor, const void** out);
/* Whether the tensor is contiguous in the memory format: 0 for MT_SPARSE_COO, RuntimeError for other sparse layouts. */
MT_API mt_status* mt_tensor_is_contiguous(const mt_tensor* tensor, int32_t memory_format, int32_t* out);
/* The single element of a tensor as a number (tags bool, int, double, complex). RuntimeError unless it has exactly one. */
MT_API mt_status* mt_tensor_item(const mt_tensor* tensor, mt_value* out);
/* The version counter: the number of in-place writes to the memory of this tensor and its views. */
MT_API mt_status* mt_tensor_version(const mt_tensor* tensor, int64_t* out);
MT_API mt_status* mt_tensor_bump_version(mt_tensor* tensor);  /* counts one more write */
/* Sets the counter to a number (unsafe; torch's _unsafe_set_version_counter). */
MT_API mt_status* mt_tensor_set_version(mt_tensor* tensor, int64_t version);

/* ---- views ------------------------------------------------------------------------------------------------------ */

/* A view with these sizes, strides (elements) and offset over the same storage, unknown to autograd. Checks bounds. */
MT_API mt_status* mt_tensor_view(const mt_tensor* tensor, const int64_t* sizes, const int64_t* strides, int64_t ndim,
                                 int64_t storage_offset, mt_tensor** out);
/* A new tensor over the same storage. With share_version, both share a version counter (detach()); without, the new tensor
 * has its own (`.data`, Parameters). */
MT_API mt_status* mt_tensor_alias(const mt_tensor* tensor, int32_t share_version, mt_tensor** out);
/* Gives `tensor` source's storage, sizes, strides and dtype, or sparse components (`.data = `); equal layouts. Keeps version, history. */
MT_API mt_status* mt_tensor_set_data(mt_tensor* tensor, const mt_tensor* source);
/* Swaps two tensors behind their handles (torch.utils.swap_tensors). */
MT_API mt_status* mt_tensor_swap(mt_tensor* a, mt_tensor* b);

/* ---- storages ---------------------------------------------------------------------------------------------------- */

MT_API void mt_storage_retain(mt_storage* storage);  /* adds a reference; tensors over it hold references too */
MT_API void mt_storage_release(mt_storage* storage);  /* drops a reference; the last frees its memory on this thread */
MT_API mt_status* mt_storage_use_count(const mt_storage* storage, int64_t* out);  /* references, including the caller's */
MT_API mt_status* mt_tensor_storage(const mt_tensor* tensor, mt_storage** out); /* RuntimeError: none; NotImplementedError: sparse */
MT_API mt_status* mt_storage_empty(int64_t nbytes, mt_device device, mt_storage** out); /* uninitialised bytes */
MT_API mt_status* mt_storage_from_data(void* data, int64_t nbytes, mt_device device, void (*deleter)(void* context), void* context,
                                       mt_storage** out);
MT_API mt_status* mt_storage_data(const mt_storage* storage, void** out); /* its first byte; NULL if empty or on meta */
MT_API mt_status* mt_storage_is_lazy_clone(const mt_storage* storage, int32_t* out); /* its bytes are copied on its next write */
MT_API mt_status* mt_storage_nbytes(const mt_storage* storage, int64_t* out); /* its size in bytes, on meta too */
MT_API mt_status* mt_storage_device(const mt_storage* storage, mt_device* out); /* the device of its memory */
MT_API mt_status* mt_storage_is_resizable(const mt_storage* storage, int32_t* out); /* 0: caller's memory, a mapped file, or fixed */
MT_API mt_status* mt_storage_resize(mt_storage* storage, int64_t nbytes); /* keeps the bytes that fit; RuntimeError if not resizable */
MT_API mt_status* mt_storage_fix_size(mt_storage* storage); /* forbids resizing, because others use its address */
/* Maps a file: shared (writes go to the file, which grows to nbytes) or private. */
MT_API mt_status* mt_storage_from_file(const char* path, int32_t shared, int64_t nbytes, mt_storage** out);
/* *mapped: whether mt_storage_from_file made it; *shared_path: the file's path while writes reach it, else NULL (owned by the storage). */
MT_API mt_status* mt_storage_mapped_file(const mt_storage* storage, int32_t* mapped, const char** shared_path);
/* Maps an open file descriptor from an offset; the caller still owns the descriptor. shared: writes go to the file. */
MT_API mt_status* mt_storage_from_descriptor(int32_t descriptor, int64_t offset, int64_t nbytes, int32_t shared, mt_storage** out);
/* Makes `storage` use other's memory; both then share it (to move a storage to shared memory). */
MT_API mt_status* mt_storage_share_data(mt_storage* storage, const mt_storage* other);

/* A tensor over a storage. strides NULL: contiguous. offset in elements. */
MT_API mt_status* mt_tensor_from_storage(mt_storage* storage, const int64_t* sizes, const int64_t* strides, int64_t ndim,
                                         int64_t storage_offset, int32_t dtype, mt_tensor** out);

/* ---- DLPack --------------------------------------------------------------------------------------------------------- */

/* Exports the tensor as a `DLManagedTensor*`, or with versioned != 0 as a `DLManagedTensorVersioned*` (DLPack 1.x, dlpack.h). The
 * consumer calls its deleter once. copy != 0: copies to new memory and sets the IS_COPIED flag. */
MT_API mt_status* mt_tensor_to_dlpack(const mt_tensor* tensor, int32_t versioned, int32_t copy, void** out);
/* Imports one without a copy and takes ownership: calls its deleter when the memory is unused. On failure the caller keeps it. With the
 * flag READ_ONLY the tensor is a lazy clone: the first write to it, or mt_tensor_data, copies its bytes and leaves the source as it is. */
MT_API mt_status* mt_tensor_from_dlpack(void* managed, int32_t versioned, mt_tensor** out);

/* ---- objects of other languages --------------------------------------------------------------------------------------- */

/*
 * A language binds its object to the handle so that, for example, `p.grad is p.grad`. While the object is the owner (owned = 0), it
 * holds a reference to the handle, and the handle has a weak reference to it. If the object becomes unreachable while others still use
 * the handle, the language may reverse the ownership: after mt_*_binding_own(…, 1) the handle keeps the object alive (and calls `release`
 * when the handle is freed), and the object releases its reference. `id` identifies the language or interpreter: a process-wide
 * number from mt_binding_id_new. A handle has at most one binding.
 */
typedef struct mt_binding_vtable {
  size_t struct_size;
  void (*release)(void* object); /* called when a handle that owns the object is freed (any thread) */
} mt_binding_vtable;

MT_API int64_t mt_binding_id_new(void);
/* RuntimeError if another object is already bound. The vtable must never be freed. NULL object: unbinds. */
MT_API mt_status* mt_tensor_binding_set(mt_tensor* tensor, int64_t id, void* object, const mt_binding_vtable* vtable);
/* *object is NULL if none is bound under this id. */
MT_API mt_status* mt_tensor_binding_get(const mt_tensor* tensor, int64_t id, void** object, int32_t* owned);
MT_API mt_status* mt_tensor_binding_own(mt_tensor* tensor, int64_t id, int32_t owned);
MT_API mt_status* mt_storage_binding_set(mt_storage* storage, int64_t id, void* object, const mt_binding_vtable* vtable);
MT_API mt_status* mt_storage_binding_get(const mt_storage* storage, int64_t id, void** object, int32_t* owned);
MT_API mt_status* mt_storage_binding_own(mt_storage* storage, int64_t id, int32_t owned);

/* Calls visit(user, argument) for each foreign `user` pointer (hooks, custom nodes, owned bindings) that only this tensor keeps
 * alive, for cycle collectors. Stops at the first nonzero result and returns it in *result. */
MT_API mt_status* mt_tensor_traverse(const mt_tensor* tensor, int32_t (*visit)(void* user, void* argument), void* argument,
                                     int32_t* result);
/* Removes hooks, gradient and grad_fn of a tensor (for a collector's tp_clear). */
MT_API mt_status* mt_tensor_clear_autograd(mt_tensor* tensor);

#ifdef __cplusplus
}
#endif

#endif
