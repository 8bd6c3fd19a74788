/* Kernels one by one, beside the dispatcher's choice of them. */
#ifndef MINDTORCH_KERNEL_H_
#define MINDTORCH_KERNEL_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Calls the kernel that the operator came with for `key`, whatever was registered over it since: a kernel from outside goes on with it.
 * `keys` are those to continue with below; all of the op's arguments, n equal to the schema's count. NotImplementedError where it came
 * with none, or where tensors are another backend's.
 */
MT_API mt_status* mt_op_call_shipped(const mt_op* op, int32_t key, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets,
                                     int64_t capacity, int64_t* n_rets);

#ifdef __cplusplus
}
#endif

#endif
