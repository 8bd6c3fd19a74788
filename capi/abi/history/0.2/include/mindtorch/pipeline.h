/* Pipelines: defer calls until a result is read. */
#ifndef MINDTORCH_PIPELINE_H_
#define MINDTORCH_PIPELINE_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Inside a pipeline (per thread; they nest) a call checks its arguments and returns tensors with shape and dtype. It runs when
 * elements, history or memory of a tensor are read through this ABI, when the pipeline is left, or in mt_pipeline_flush.
 * Chains of pointwise calls then run in one pass over memory. Results are bit-identical to immediate calls. Calls that record a
 * gradient, use random numbers, write to out= or have no meta rule run immediately, after the deferred ones. If a deferred call fails,
 * the function that ran it returns the error; any later use of a result that was not computed raises the same text.
 */
MT_API mt_status* mt_pipeline_enter(void);
MT_API mt_status* mt_pipeline_exit(void);
MT_API mt_status* mt_pipeline_flush(void);
/* Counts of the calling thread: deferred calls, flushes, chains, and calls in chains. */
typedef struct mt_pipeline_stats {
  size_t struct_size;
  int64_t queued, flushes, chains, chained;
} mt_pipeline_stats;
MT_API mt_status* mt_pipeline_get_stats(mt_pipeline_stats* out);
/* Sets the function that writes the program's source location (at most `size` bytes with the NUL) when a call is queued; NULL: none. */
typedef void (*mt_site_fn)(void* user, char* text, int64_t size);
MT_API mt_status* mt_pipeline_site_handler_set(mt_site_fn fn, void* user);

#ifdef __cplusplus
}
#endif

#endif
