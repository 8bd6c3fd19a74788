/* Loops over tensors for kernels written in C: broadcasting, strides and threads. */
#ifndef MINDTORCH_ITER_H_
#define MINDTORCH_ITER_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Processes a run of elements: data[k] points to the first one of tensor k, strides[k] is its stride in bytes. Runs on several threads. */
typedef mt_status* (*mt_iter_fn)(void* user, char* const* data, const int64_t* strides, int64_t count);

/*
 * Iterates over n (at most 8) tensors together, in runs as long as their strides allow, and on the thread pool if there are more
 * than `grain` elements. The body writes the first tensor: its shape is that of the loop, and the others broadcast to it. The loop does not
 * convert dtypes, record autograd or count versions. RuntimeError for shapes that do not broadcast, for a first tensor whose elements
 * overlap, and for tensors without memory. If the body returns a status, the loop ends and returns it.
 */
MT_API mt_status* mt_iter_run(mt_tensor* const* tensors, int64_t n, int64_t grain, mt_iter_fn body, void* user);

#ifdef __cplusplus
}
#endif

#endif
