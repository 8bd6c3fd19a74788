// Kernels of extensions as kernels of the library.
#pragma once

#include "values.h"

namespace mt::stable {

// Arguments come as words that the kernel takes over; it leaves its results in their place.
using KernelFn = void (*)(Word* stack, uint64_t n_arguments, uint64_t n_results);

// Adds `fn` as the kernel of an operator for one of the library's keys, and gives the registration's number.
int64_t add_kernel(const mt_op* op, int32_t key, int32_t rank, KernelFn fn);
// What stands at the key of autograd where an operator has no kernel for it: calls go on, and going backward warns.
void add_autograd_fallthrough(const mt_op* op);

// A failure in a function of this ABI that returns no code: the kernel that runs on this thread fails with it.
void fail_running_kernel(mt_status* status) noexcept;

}  // namespace mt::stable
