// What Go needs in C: calls whose arguments refer to Go memory by offsets, and functions that pass callbacks on to Go.
#ifndef MINDTORCH_GO_SHIM_H_
#define MINDTORCH_GO_SHIM_H_

#include <mindtorch/mindtorch.h>

typedef struct mtgo_outcome {
  int64_t n_results;
  int64_t bytes; // of the elements of all results
} mtgo_outcome;

// Go may not pass memory with pointers to Go memory in it. So a list or a string in `values` has its offset in `words`, in
// bytes, instead of an address. `results` NULL: the results are released.
mt_status* mtgo_call(const mt_op* op, const mt_value* values, int64_t n, const uint64_t* words, mt_value* results, int64_t capacity,
                     mtgo_outcome* outcome);
// Owned copies of values in the same form, for callbacks.
mt_status* mtgo_copy_values(const mt_value* values, int64_t n, const uint64_t* words, mt_value* out);
// Shares the tensors of a list.
void mtgo_share_tensors(const mt_value* list, uint64_t* handles);

mt_status* mtgo_describe(const mt_tensor* tensor, mt_tensor_info* info);
mt_status* mtgo_allocated_bytes(int64_t* out);

mt_status* mtgo_add_hook(mt_tensor* tensor, uintptr_t function, int64_t* id);
mt_status* mtgo_add_accumulate_hook(mt_tensor* tensor, uintptr_t function, int64_t* id);
mt_status* mtgo_register_kernel(const mt_op* op, int32_t key, uintptr_t function);
mt_status* mtgo_register_derivative(const mt_op* op, uintptr_t function);
mt_status* mtgo_save(const char* path, const mt_tensor_dict* dict, mt_save_options* options, uintptr_t progress);
mt_status* mtgo_status_of_error(const char* kind, const char* message, uintptr_t error);

#endif
