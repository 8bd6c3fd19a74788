/* vmap: levels, and batched tensors, which hide one dimension from operators. */
#ifndef MINDTORCH_TRANSFORM_H_
#define MINDTORCH_TRANSFORM_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Random operators inside a level: an error, the same numbers for all slices, or different ones for each slice. */
enum { MT_RANDOMNESS_ERROR = 0, MT_RANDOMNESS_SAME = 1, MT_RANDOMNESS_DIFFERENT = 2 };

/*
 * Opens a level inside the calling thread's open levels; `level` gets its number (from 1). `batch_size` is the size of the
 * mapped dimension, 0 or more. The same thread must close every level, the innermost first.
 */
MT_API mt_status* mt_vmap_enter(int64_t batch_size, int32_t randomness, int64_t* level);
MT_API mt_status* mt_vmap_exit(int64_t level);
/* The number of levels visible to this thread's calls, and the arguments with which one of them was opened. */
MT_API mt_status* mt_vmap_depth(int64_t* out);
MT_API mt_status* mt_vmap_level(int64_t level, int64_t* batch_size, int32_t* randomness);
/* Hides all levels but the first `depth` from this thread's calls, for code that handles values; returns the previous number. */
MT_API mt_status* mt_vmap_set_visible(int64_t depth, int64_t* former);

/*
 * A batched tensor: `value` with dimension `dim` hidden; operators map over that dimension. It references `value` and has no memory
 * of its own: reading its elements is an error. The caller owns the result.
 */
MT_API mt_status* mt_batched_make(mt_tensor* value, int64_t dim, int64_t level, mt_tensor** out);
/* A tensor's level, dimension and value (owned by the caller; `value` may be NULL). Level 0 and value NULL: not batched. */
MT_API mt_status* mt_batched_get(const mt_tensor* tensor, int64_t* level, int64_t* dim, mt_tensor** value);

/* Makes a tensor without memory (created on MT_META) report `device`, as tensors that represent others do; MT_META undoes
 * that. */
MT_API mt_status* mt_tensor_pose(mt_tensor* tensor, mt_device device);

#ifdef __cplusplus
}
#endif

#endif
