/* The profiler: records the operators and ranges of a thread, with times and memory. */
#ifndef MINDTORCH_PROFILER_H_
#define MINDTORCH_PROFILER_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mt_profiler_options {
  size_t struct_size;
  int32_t record_shapes;   /* the arguments of operators */
  int32_t profile_memory;  /* allocations and frees of CPU memory */
} mt_profiler_options;
/*
 * Starts recording the calls of the calling thread, including backward passes; other threads are not recorded. `options` is read during
 * the call; NULL: times only. RuntimeError if this thread is already recording. Calls have no overhead while no thread records.
 */
MT_API mt_status* mt_profiler_start(const mt_profiler_options* options);
/* Ends the recording of the calling thread and returns its number of events. RuntimeError if the thread is not recording. */
MT_API mt_status* mt_profiler_stop(int64_t* count);
/* Whether the calling thread is recording. */
MT_API int32_t mt_profiler_is_active(void);

/*
 * Begins and ends a range on one thread; `name` is copied, `kind` is MT_PROFILE_RANGE, or, with a meaning of the caller's, above
 * MT_PROFILE_MEMORY. If the thread is not recording, begin does nothing and sets -1; to end -1, or a range of a finished recording,
 * does nothing.
 */
MT_API mt_status* mt_profiler_begin(const char* name, int32_t kind, int64_t* token);
MT_API void mt_profiler_end(int64_t token);

enum {                      /* kinds of events; later versions may add more */
       MT_PROFILE_OPERATOR = 0,  /* a call of an operator, or a step of the backward pass */
       MT_PROFILE_BACKWARD = 1,  /* a run of a graph node */
       MT_PROFILE_RANGE = 7,     /* mt_profiler_begin */
       MT_PROFILE_MEMORY = 8
};
/* An argument. A tensor has ndim >= 0, and its value is none. The value of a list of tensors has the tag MT_TAG_TENSORS and an int, the
 * number of tensors, which follow as further inputs. Other arguments are values; all but numbers and lists of numbers are none. */
typedef struct mt_profile_input {
  mt_value value;
  int32_t dtype;
  int32_t ndim;
  const int64_t* sizes;
  const int64_t* strides;
} mt_profile_input;
typedef struct mt_profile_event {
  size_t struct_size;
  int32_t kind;
  int32_t thread;         /* a small number from 1; system_thread is the system's id */
  int32_t system_thread;
  int32_t forward_thread; /* MT_PROFILE_BACKWARD: the thread that called the operator, 0: unknown */
  const char* name;       /* "aten::add", the range's, the node's */
  const char* overload;   /* "Tensor"; "" without one */
  int64_t start, end;     /* nanoseconds of CLOCK_MONOTONIC */
  int64_t parent;         /* the index of the enclosing event, -1: none */
  int64_t sequence_nr;    /* equal for an operator and the node that it may have recorded; -1: none */
  int64_t bytes;          /* MT_PROFILE_MEMORY: allocated, or freed (negative) */
  int64_t total_bytes;    /* MT_PROFILE_MEMORY: allocated and not freed since the first recording */
  uint64_t address;
  int64_t n_inputs;
  const mt_profile_input* inputs;
} mt_profile_event;
/*
 * The events of the calling thread's last recording, ordered by start. The pointers in `out` are valid until this thread starts
 * another recording or calls mt_profiler_clear. IndexError past the last event.
 */
MT_API mt_status* mt_profiler_event(int64_t index, mt_profile_event* out);
/* Frees the events of the last recording. */
MT_API void mt_profiler_clear(void);

#ifdef __cplusplus
}
#endif

#endif
