/* Pipelines: calls that wait until a result is looked at. */
#ifndef MINDTORCH_PIPELINE_H_
#define MINDTORCH_PIPELINE_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Inside of a pipeline (per thread; they nest) a call checks its arguments and gives tensors with shape and dtype, and is run when
 * elements, history or memory of a tensor are looked at through this ABI, when the pipeline is left, or by mt_pipeline_flush.
 * Chains of pointwise calls then go through memory together. Results are those of running at once, bit for bit. Calls that record a
 * gradient, draw numbers, write with out= or have no meta rule run at once, after those that wait. What a waiting call fails with
 * comes out of the function that ran it; results that were not made by then raise the same text whenever they are used.
 */
MT_API mt_status* mt_pipeline_enter(void);
MT_API mt_status* mt_pipeline_exit(void);
MT_API mt_status* mt_pipeline_flush(void);
/* Counts of the calling thread: calls that waited, flushes, chains, and calls in chains. */
typedef struct mt_pipeline_stats {
  size_t struct_size;
  int64_t queued, flushes, chains, chained;
} mt_pipeline_stats;
MT_API mt_status* mt_pipeline_get_stats(mt_pipeline_stats* out);
/* Who writes where a program stands (at most `size` bytes with the final zero) when a call is queued; NULL: nobody. Any thread. */
typedef void (*mt_site_fn)(void* user, char* text, int64_t size);
MT_API mt_status* mt_pipeline_site_handler_set(mt_site_fn fn, void* user);

#ifdef __cplusplus
}
#endif

#endif
