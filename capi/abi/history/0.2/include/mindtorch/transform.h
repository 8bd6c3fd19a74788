/* vmap: levels, and tensors one dimension of which operators do not see. */
#ifndef MINDTORCH_TRANSFORM_H_
#define MINDTORCH_TRANSFORM_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What calls that draw numbers do inside of a level: refuse, draw once for all slices, or draw for each slice. */
enum { MT_RANDOMNESS_ERROR = 0, MT_RANDOMNESS_SAME = 1, MT_RANDOMNESS_DIFFERENT = 2 };

/*
 * Opens a level inside of those that the calling thread has open; its number goes to `level` (from 1). `batch_size` is the size of the
 * dimension that is mapped over, 0 or more. Every level must be left, the last one first, on the same thread.
 */
MT_API mt_status* mt_vmap_enter(int64_t batch_size, int32_t randomness, int64_t* level);
MT_API mt_status* mt_vmap_exit(int64_t level);
/* How many levels calls of this thread see, and what one of them was opened with. */
MT_API mt_status* mt_vmap_depth(int64_t* out);
MT_API mt_status* mt_vmap_level(int64_t level, int64_t* batch_size, int32_t* randomness);
/* Hides all levels but the first `depth` from this thread's calls, for code that handles values; gives the former number. */
MT_API mt_status* mt_vmap_set_visible(int64_t depth, int64_t* former);

/*
 * A tensor that looks like `value` without dimension `dim`; operators map over that dimension. It shares `value` and has no memory
 * of its own: reading its elements is an error. The caller owns the result.
 */
MT_API mt_status* mt_batched_make(mt_tensor* value, int64_t dim, int64_t level, mt_tensor** out);
/* Its level, dimension and value (owned by the caller; NULL where that is not asked for). Level 0 and value NULL: not batched. */
MT_API mt_status* mt_batched_get(const mt_tensor* tensor, int64_t* level, int64_t* dim, mt_tensor** value);

/* A tensor without memory (made on MT_META) says that it lies on `device`, as what stands for other tensors does; MT_META takes that
 * back. */
MT_API mt_status* mt_tensor_pose(mt_tensor* tensor, mt_device device);

#ifdef __cplusplus
}
#endif

#endif
