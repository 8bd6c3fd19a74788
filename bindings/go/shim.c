#include "shim.h"

#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

enum { MAX_RESULTS = 64 };

// The value with addresses instead of offsets. `copies` gets memory to free, for lists of strings.
static mt_value relocated(const mt_value* value, const uint64_t* words, mt_value** copies) {
  mt_value out = *value;
  if (value->tag == MT_TAG_STRING) {
    out.as.string.data = (const char*)words + (uintptr_t)value->as.string.data;
  } else if (value->tag >= MT_TAG_INTS && value->tag <= MT_TAG_STRINGS) {
    const void* data = (const char*)words + (uintptr_t)value->as.list.data;
    out.as.list.data = data;
    if (value->tag == MT_TAG_STRINGS && value->as.list.size > 0) {
      const mt_value* items = data;
      // The first item of each such block links it to the blocks before it.
      mt_value* block = malloc(sizeof(mt_value) * (size_t)(value->as.list.size + 1));
      if (!block) return out;
      block->as.list.data = *copies;
      *copies = block;
      for (int64_t i = 0; i < value->as.list.size; ++i) block[i + 1] = relocated(&items[i], words, copies);
      out.as.list.data = block + 1;
    }
  }
  return out;
}

static void free_copies(mt_value* copies) {
  while (copies) {
    mt_value* next = (mt_value*)copies->as.list.data;
    free(copies);
    copies = next;
  }
}

static int64_t bytes_of(mt_tensor* tensor) {
  mt_tensor_info info;
  info.struct_size = sizeof(info);
  mt_status* status = mt_tensor_get_info(tensor, &info);
  if (status) {
    mt_status_release(status);
    return 0;
  }
  return info.numel * mt_dtype_size(info.dtype);
}

static int64_t bytes_of_value(const mt_value* value) {
  int64_t bytes = 0;
  if (value->tag == MT_TAG_TENSOR) return bytes_of(value->as.tensor);
  if (value->tag == MT_TAG_TENSORS) {
    mt_tensor* const* tensors = value->as.list.data;
    for (int64_t i = 0; i < value->as.list.size; ++i) bytes += bytes_of(tensors[i]);
  }
  return bytes;
}

mt_status* mtgo_call(const mt_op* op, const mt_value* values, int64_t n, const uint64_t* words, mt_value* results, int64_t capacity,
                     mtgo_outcome* outcome) {
  mt_value arguments[n > 0 ? n : 1];
  mt_value dropped[MAX_RESULTS];
  mt_value* copies = NULL;
  for (int64_t i = 0; i < n; ++i) arguments[i] = relocated(&values[i], words, &copies);
  mt_value* out = results ? results : dropped;
  int64_t count = 0;
  mt_status* status = mt_op_call(op, arguments, n, out, results ? capacity : MAX_RESULTS, &count);
  free_copies(copies);
  if (status) return status;
  outcome->n_results = count;
  outcome->bytes = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (results)
      outcome->bytes += bytes_of_value(&results[i]);
    else
      mt_value_clear(&dropped[i]);
  }
  return NULL;
}

mt_status* mtgo_copy_values(const mt_value* values, int64_t n, const uint64_t* words, mt_value* out) {
  mt_value* copies = NULL;
  mt_status* status = NULL;
  for (int64_t i = 0; i < n && !status; ++i) {
    mt_value value = relocated(&values[i], words, &copies);
    status = mt_value_copy(&value, &out[i]);
    if (status)
      while (i > 0) mt_value_clear(&out[--i]);
  }
  free_copies(copies);
  return status;
}

void mtgo_share_tensors(const mt_value* list, uint64_t* handles) {
  mt_tensor* const* tensors = list->as.list.data;
  for (int64_t i = 0; i < list->as.list.size; ++i) {
    mt_tensor_retain(tensors[i]);
    handles[i] = (uint64_t)(uintptr_t)tensors[i];
  }
}

mt_status* mtgo_describe(const mt_tensor* tensor, mt_tensor_info* info) {
  info->struct_size = sizeof(*info);
  return mt_tensor_get_info(tensor, info);
}

mt_status* mtgo_allocated_bytes(int64_t* out) {
  mt_allocator_stats stats;
  stats.struct_size = sizeof(stats);
  mt_status* status = mt_allocator_get_stats(&stats);
  if (!status) *out = stats.allocated_bytes;
  return status;
}

// ---- callbacks: `user` is the number of a Go function ----

static void destroy(void* user) { mindtorchForget((uintptr_t)user); }

static mt_status* hook(void* user, mt_tensor* grad, mt_tensor** replacement) { return mindtorchHook((uintptr_t)user, grad, replacement); }

static mt_status* accumulate_hook(void* user, mt_tensor* leaf) { return mindtorchAccumulateHook((uintptr_t)user, leaf); }

static mt_status* kernel(void* user, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  (void)op;
  (void)keys;
  return mindtorchKernel((uintptr_t)user, (mt_value*)args, n, rets, n_rets);
}

static mt_status* derivative(void* user, const mt_op* op, const mt_value* grads, int64_t n_grads, const mt_value* args, int64_t n_args,
                             const mt_value* results, int64_t n_results, mt_value* grad_args) {
  (void)op;
  return mindtorchDerivative((uintptr_t)user, (mt_value*)grads, n_grads, (mt_value*)args, n_args, (mt_value*)results, n_results, grad_args);
}

static mt_status* progress_of_save(void* user, int64_t done, int64_t total) { return mindtorchProgress((uintptr_t)user, done, total); }

mt_status* mtgo_add_hook(mt_tensor* tensor, uintptr_t function, int64_t* id) {
  return mt_tensor_add_hook(tensor, hook, (void*)function, destroy, id);
}

mt_status* mtgo_add_accumulate_hook(mt_tensor* tensor, uintptr_t function, int64_t* id) {
  return mt_tensor_add_accumulate_hook(tensor, accumulate_hook, (void*)function, destroy, id);
}

mt_status* mtgo_register_kernel(const mt_op* op, int32_t key, uintptr_t function) {
  return mt_op_register_kernel(op, key, kernel, (void*)function, destroy);
}

mt_status* mtgo_register_derivative(const mt_op* op, uintptr_t function) {
  return mt_op_register_derivative(op, derivative, (void*)function, destroy);
}

mt_status* mtgo_save(const char* path, const mt_tensor_dict* dict, mt_save_options* options, uintptr_t progress) {
  options->struct_size = sizeof(*options);
  if (progress) {
    options->progress = progress_of_save;
    options->user = (void*)progress;
  }
  return mt_checkpoint_save(path, dict, options);
}

mt_status* mtgo_status_of_error(const char* kind, const char* message, uintptr_t error) {
  return mt_status_create_with_payload(kind, message, (void*)error, destroy);
}
