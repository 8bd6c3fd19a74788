/* Loops over tensors for kernels written in C: broadcasting, strides and threads. */
#ifndef MINDTORCH_ITER_H_
#define MINDTORCH_ITER_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One run of elements: data[k] points to the first of tensor k, strides[k] is its step in bytes. Called from several threads. */
typedef mt_status* (*mt_iter_fn)(void* user, char* const* data, const int64_t* strides, int64_t count);

/*
 * Visits every element of n (at most 8) tensors side by side, in runs as long as their layouts allow, on the pool where there are more
 * than `grain` elements. The first tensor is the one that is written: its shape is the loop's, and the others broadcast to it. Nothing is
 * converted, recorded or counted as a write. RuntimeError for shapes that do not broadcast, for a first tensor whose elements overlap, and
 * for tensors without memory. A status that the body returns ends the loop and comes out.
 */
MT_API mt_status* mt_iter_run(mt_tensor* const* tensors, int64_t n, int64_t grain, mt_iter_fn body, void* user);

#ifdef __cplusplus
}
#endif

#endif
