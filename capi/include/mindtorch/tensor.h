/* Tensors and storages: making them, looking at them, views, DLPack, and their counterparts in other languages. */
#ifndef MINDTORCH_TENSOR_H_
#define MINDTORCH_TENSOR_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

MT_API void mt_tensor_retain(mt_tensor* tensor);  /* one owner more */
MT_API void mt_tensor_release(mt_tensor* tensor);  /* one less; the last frees it, on this thread */
/* How many owners a tensor has, the caller's own included. */
MT_API mt_status* mt_tensor_use_count(const mt_tensor* tensor, int64_t* out);

/* ---- making ---------------------------------------------------------------------------------------------------- */

/* A new contiguous tensor of `ndim` sizes with uninitialised elements. */
MT_API mt_status* mt_tensor_empty(const int64_t* sizes, int64_t ndim, int32_t dtype, mt_device device, mt_tensor** out);
/* A tensor over the caller's memory (no copy). strides (in elements) may be NULL: contiguous. `deleter(context)` runs once when
 * nobody uses the memory any more, on whichever thread that happens; on failure it is not called and the memory stays the caller's. */
MT_API mt_status* mt_tensor_from_data(void* data, const int64_t* sizes, const int64_t* strides, int64_t ndim, int32_t dtype,
                                      mt_device device, void (*deleter)(void* context), void* context, mt_tensor** out);
/* A new tensor with a copy of `count` contiguous elements. */
MT_API mt_status* mt_tensor_from_copy(const void* data, const int64_t* sizes, int64_t ndim, int32_t dtype, mt_tensor** out);
/* A 0-dim tensor of a number (tags bool, int, double, complex). With `wrapped` it takes part in type promotion as a
 * Python number does. dtype -1: bool, int64, the default float dtype, or its complex counterpart. */
MT_API mt_status* mt_tensor_from_scalar(const mt_value* number, int32_t dtype, int32_t wrapped, mt_tensor** out);

/* ---- looking --------------------------------------------------------------------------------------------------- */

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
  const int64_t* strides; /* in elements; likewise. Zeros where the layout is sparse */
  int64_t numel;
  int64_t storage_offset; /* in elements */
  int32_t dtype;
  mt_device device;
  int32_t layout;         /* all but MT_STRIDED are sparse: no memory of its own, operators (indices, values, ...) give its parts */
  uint32_t flags;
  uint64_t keys;          /* dispatch keys: see dispatch.h */
} mt_tensor_info;

/* Fills everything that describes a tensor, without touching its elements. */
MT_API mt_status* mt_tensor_get_info(const mt_tensor* tensor, mt_tensor_info* out);
/* Pointer to the first element: storage base + offset; NULL for zero elements or meta. RuntimeError where it is sparse. */
MT_API mt_status* mt_tensor_data(const mt_tensor* tensor, void** out);
/* Whether the elements lie as the memory format says: 0 of MT_SPARSE_COO, a RuntimeError of other sparse layouts. */
MT_API mt_status* mt_tensor_is_contiguous(const mt_tensor* tensor, int32_t memory_format, int32_t* out);
/* The single element of a tensor as a number (tags bool, int, double, complex). RuntimeError where it has not exactly one. */
MT_API mt_status* mt_tensor_item(const mt_tensor* tensor, mt_value* out);
/* The version counter: how many times the memory that this tensor and its views share was written in place. */
MT_API mt_status* mt_tensor_version(const mt_tensor* tensor, int64_t* out);
MT_API mt_status* mt_tensor_bump_version(mt_tensor* tensor);  /* counts one more write */
/* Raises the counter to a given number (unsafe; what torch's _unsafe_set_version_counter does). */
MT_API mt_status* mt_tensor_set_version(mt_tensor* tensor, int64_t version);

/* ---- views ------------------------------------------------------------------------------------------------------ */

/* A view with these sizes, strides (elements) and offset over the same storage, unknown to autograd. Checks bounds. */
MT_API mt_status* mt_tensor_view(const mt_tensor* tensor, const int64_t* sizes, const int64_t* strides, int64_t ndim,
                                 int64_t storage_offset, mt_tensor** out);
/* A tensor of its own identity over the same storage. share_version: in-place writes to either are seen by both (detach());
 * without, it gets a counter of its own (`.data`, Parameters). */
MT_API mt_status* mt_tensor_alias(const mt_tensor* tensor, int32_t share_version, mt_tensor** out);
/* Makes `tensor` refer to source's storage, sizes, strides and dtype (`.data = `), or parts: both of one layout. Version, autograd stay. */
MT_API mt_status* mt_tensor_set_data(mt_tensor* tensor, const mt_tensor* source);
/* Exchanges everything of two tensors but their handles (torch.utils.swap_tensors). */
MT_API mt_status* mt_tensor_swap(mt_tensor* a, mt_tensor* b);

/* ---- storages ---------------------------------------------------------------------------------------------------- */

MT_API void mt_storage_retain(mt_storage* storage);  /* one owner more: tensors over it are owners too */
MT_API void mt_storage_release(mt_storage* storage);  /* one less; the last frees its memory, on this thread */
MT_API mt_status* mt_storage_use_count(const mt_storage* storage, int64_t* out);  /* owners, the caller included */
MT_API mt_status* mt_tensor_storage(const mt_tensor* tensor, mt_storage** out); /* RuntimeError: it has none; NotImplementedError: sparse */
MT_API mt_status* mt_storage_empty(int64_t nbytes, mt_device device, mt_storage** out); /* uninitialised bytes */
MT_API mt_status* mt_storage_from_data(void* data, int64_t nbytes, mt_device device, void (*deleter)(void* context), void* context,
                                       mt_storage** out);
MT_API mt_status* mt_storage_data(const mt_storage* storage, void** out); /* its first byte; NULL for none, and on meta */
MT_API mt_status* mt_storage_nbytes(const mt_storage* storage, int64_t* out); /* bytes that it says it has, on meta too */
MT_API mt_status* mt_storage_device(const mt_storage* storage, mt_device* out); /* where its memory is */
MT_API mt_status* mt_storage_is_resizable(const mt_storage* storage, int32_t* out); /* 0: a caller's memory, a file, or fixed */
MT_API mt_status* mt_storage_resize(mt_storage* storage, int64_t nbytes); /* keeps what fits; RuntimeError if not resizable */
MT_API mt_status* mt_storage_fix_size(mt_storage* storage); /* not resizable from now on: others know its memory by the address */
/* Maps a file: shared (writes reach the file, which is made as large as nbytes) or private. */
MT_API mt_status* mt_storage_from_file(const char* path, int32_t shared, int64_t nbytes, mt_storage** out);
/* Maps an open file descriptor, which stays the caller's, from an offset; shared writes go through. */
MT_API mt_status* mt_storage_from_descriptor(int32_t descriptor, int64_t offset, int64_t nbytes, int32_t shared, mt_storage** out);
/* Points `storage` at other's memory; both then share it (moving a storage to shared memory). */
MT_API mt_status* mt_storage_share_data(mt_storage* storage, const mt_storage* other);

/* A tensor over a storage. strides NULL: contiguous. offset in elements. */
MT_API mt_status* mt_tensor_from_storage(mt_storage* storage, const int64_t* sizes, const int64_t* strides, int64_t ndim,
                                         int64_t storage_offset, int32_t dtype, mt_tensor** out);

/* ---- DLPack --------------------------------------------------------------------------------------------------------- */

/* Gives the tensor as a `DLManagedTensor*`, or with versioned != 0 as a `DLManagedTensorVersioned*` (DLPack 1.x, dlpack.h). The
 * receiver calls its deleter once. copy != 0: over fresh memory, with the IS_COPIED flag. */
MT_API mt_status* mt_tensor_to_dlpack(const mt_tensor* tensor, int32_t versioned, int32_t copy, void** out);
/* Takes one over, zero-copy; the library calls the deleter when the memory is no longer used. On failure it is not taken. */
MT_API mt_status* mt_tensor_from_dlpack(void* managed, int32_t versioned, mt_tensor** out);

/* ---- counterparts in other languages ---------------------------------------------------------------------------------- */

/*
 * A language that wants `p.grad is p.grad` binds its object to the handle. While the object is the owner (owned = 0), it
 * holds a reference on the handle and the handle only remembers it. When the object dies while others still hold the handle, the
 * language may turn that round: mt_*_binding_own(…, 1) makes the handle keep the object alive (`release` is called when
 * the handle dies), and the object gives its reference back. `id` tells languages (and interpreters) apart: a process-wide
 * number from mt_binding_id_new; one handle carries one binding.
 */
typedef struct mt_binding_vtable {
  size_t struct_size;
  void (*release)(void* object); /* the handle owned the object and is being freed (any thread) */
} mt_binding_vtable;

MT_API int64_t mt_binding_id_new(void);
/* Fails with RuntimeError where another object is bound already. The vtable must live for ever. NULL object: unbinds. */
MT_API mt_status* mt_tensor_binding_set(mt_tensor* tensor, int64_t id, void* object, const mt_binding_vtable* vtable);
/* NULL in *object where none is bound under this id. */
MT_API mt_status* mt_tensor_binding_get(const mt_tensor* tensor, int64_t id, void** object, int32_t* owned);
MT_API mt_status* mt_tensor_binding_own(mt_tensor* tensor, int64_t id, int32_t owned);
MT_API mt_status* mt_storage_binding_set(mt_storage* storage, int64_t id, void* object, const mt_binding_vtable* vtable);
MT_API mt_status* mt_storage_binding_get(const mt_storage* storage, int64_t id, void** object, int32_t* owned);
MT_API mt_status* mt_storage_binding_own(mt_storage* storage, int64_t id, int32_t owned);

/* Calls visit(user, argument) for each foreign `user` pointer (hooks, custom nodes, owned bindings) that only this tensor keeps
 * alive, so that a cycle collector sees through it. Stops at the first non-zero result and gives it in *result. */
MT_API mt_status* mt_tensor_traverse(const mt_tensor* tensor, int32_t (*visit)(void* user, void* argument), void* argument,
                                     int32_t* result);
/* Drops hooks, gradient and grad_fn of a tensor (a collector's tp_clear). */
MT_API mt_status* mt_tensor_clear_autograd(mt_tensor* tensor);

#ifdef __cplusplus
}
#endif

#endif
