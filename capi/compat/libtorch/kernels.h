// Registers kernels of extensions with the library.
#pragma once

#include "values.h"

namespace mt::stable {

// A kernel in LibTorch's calling convention: takes ownership of its argument words and replaces them by its results.
using KernelFn = void (*)(Word* stack, uint64_t n_arguments, uint64_t n_results);

// Adds `fn` as the kernel of an operator for one of the library's keys, and returns the registration's number.
int64_t add_kernel(const mt_op* op, int32_t key, int32_t rank, KernelFn fn);
// Adds the autograd kernel that torch gives operators without one: calls continue at the keys below it, and a backward pass through them
// warns.
void add_autograd_fallthrough(const mt_op* op);

}  // namespace mt::stable
