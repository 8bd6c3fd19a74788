/* The profiler: which operators and ranges a thread ran, when, and with which memory. */
#ifndef MINDTORCH_PROFILER_H_
#define MINDTORCH_PROFILER_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mt_profiler_options {
  size_t struct_size;
  int32_t record_shapes;   /* what operators were called with */
  int32_t profile_memory;  /* CPU memory of tensors, taken and given back */
} mt_profiler_options;
/*
 * Records what the calling thread does from here on, backward passes included; other threads go on unseen. `options` is read during
 * the call; NULL: times only. RuntimeError where this thread records already. While nobody records, calls cost what they always do.
 */
MT_API mt_status* mt_profiler_start(const mt_profiler_options* options);
/* Ends the recording of the calling thread, and says how many events it has. RuntimeError where there is none. */
MT_API mt_status* mt_profiler_stop(int64_t* count);
/* Whether the calling thread records. */
MT_API int32_t mt_profiler_is_active(void);

/*
 * A range of the program, from begin to end, on the thread that began it; `name` is copied, `kind` is MT_PROFILE_RANGE or above
 * MT_PROFILE_MEMORY, for the caller's own use. Does nothing and gives -1 where the thread does not record; ending -1, or a range
 * whose recording is over, does nothing either.
 */
MT_API mt_status* mt_profiler_begin(const char* name, int32_t kind, int64_t* token);
MT_API void mt_profiler_end(int64_t token);

enum {                      /* kinds of events; more may come */
       MT_PROFILE_OPERATOR = 0,  /* a call of an operator, or a step of the backward pass */
       MT_PROFILE_BACKWARD = 1,  /* a node of the graph as it runs */
       MT_PROFILE_RANGE = 7,     /* mt_profiler_begin */
       MT_PROFILE_MEMORY = 8
};
/* An argument. A tensor has ndim >= 0, and its value is none. A list of tensors (MT_TAG_TENSORS) is followed by as many tensors as
 * its value, an int, says, here under the tag MT_TAG_TENSORS. Anything else is its value; what is no number or list of them is none. */
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
  int32_t thread;         /* small numbers from 1 on, and the system's own */
  int32_t system_thread;
  int32_t forward_thread; /* of MT_PROFILE_BACKWARD: where the operator was called, 0: unknown */
  const char* name;       /* "aten::add", the range's, the node's */
  const char* overload;   /* "Tensor"; "" where there is none */
  int64_t start, end;     /* nanoseconds of CLOCK_MONOTONIC */
  int64_t parent;         /* the index of the event around it, -1: none */
  int64_t sequence_nr;    /* the same for an operator that may have recorded a node, and for the node; -1: none */
  int64_t bytes;          /* of MT_PROFILE_MEMORY: taken, or (negative) given back */
  int64_t total_bytes;    /* and what is taken in all since the first recording */
  uint64_t address;
  int64_t n_inputs;
  const mt_profile_input* inputs;
} mt_profile_event;
/*
 * The events of the calling thread's last recording, ordered by their begin. What `out` points to lives until this thread starts
 * another, or calls mt_profiler_clear. IndexError where there is no such event.
 */
MT_API mt_status* mt_profiler_event(int64_t index, mt_profile_event* out);
/* Forgets the events of the last recording. */
MT_API void mt_profiler_clear(void);

#ifdef __cplusplus
}
#endif

#endif
