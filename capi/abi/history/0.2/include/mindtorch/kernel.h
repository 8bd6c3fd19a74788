/* Calls of built-in kernels, independent of the dispatcher's choice. */
#ifndef MINDTORCH_KERNEL_H_
#define MINDTORCH_KERNEL_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Calls the operator's built-in kernel for `key`, even if another was registered over it, so that an overriding kernel can delegate to it.
 * `keys` are the keys for further dispatch. Pass all arguments: n must equal the schema's count. NotImplementedError if there is no
 * built-in kernel, or if tensors belong to another backend.
 */
MT_API mt_status* mt_op_call_shipped(const mt_op* op, int32_t key, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets,
                                     int64_t capacity, int64_t* n_rets);

#ifdef __cplusplus
}
#endif

#endif
