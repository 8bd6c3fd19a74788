/* NPUs: devices, streams, events, memory, graphs, generators, and the simulator's faults and counters. */
#ifndef MINDTORCH_NPU_H_
#define MINDTORCH_NPU_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The first call that needs a device loads the vendor's libraries. If none is found, functions that need one fail with
 * "Torch not compiled with NPU enabled" (AssertionError), and mt_npu_device_count returns 0. A device failure is a
 * RuntimeError that names the vendor's call and its code; if device memory is exhausted, it is an OutOfMemoryError with torch's text.
 * `device` is an index from 0; -1 is the calling thread's current device. Devices and streams that do not exist are refused with
 * torch's text. Current device and current streams are per thread. All functions may be called from any thread. In a child process
 * forked after a device was used, functions that need one fail with torch's text.
 */

/* ---- the vendor's library ---------------------------------------------------------------------------------------- */

/* Loads the vendor's library (libascendcl.so and libopapi.so, or one file with both interfaces). NULL: MINDTORCH_ACL_PATH, a file or
 * folder, then CANN's installation folders. RuntimeError if it cannot be loaded or another one is already loaded. */
MT_API mt_status* mt_npu_load(const char* path);
/* The path of the loaded library, or NULL. Never freed. Loads nothing. */
MT_API const char* mt_npu_library(void);
/* 1 once a device was used (its context exists), 0 before; never fails. */
MT_API int32_t mt_npu_is_initialized(void);
/* 1 in a child of fork whose parent used a device. */
MT_API int32_t mt_npu_in_bad_fork(void);

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* 0 without a library or device; tries to load the library. */
MT_API mt_status* mt_npu_device_count(int32_t* out);
/* The calling thread's device. Initialises it. */
MT_API mt_status* mt_npu_get_device(int32_t* out);
MT_API mt_status* mt_npu_set_device(int32_t device);

typedef struct mt_npu_properties {
  size_t struct_size;
  char name[64];             /* "Ascend910B1" */
  int64_t total_memory;      /* bytes */
  int64_t l2_cache_size;     /* bytes */
  int32_t cube_core_num;     /* matrix cores */
  int32_t vector_core_num;
  int32_t major, minor;
} mt_npu_properties;
MT_API mt_status* mt_npu_get_properties(int32_t device, mt_npu_properties* out);
/* 1 if `device` can read the memory of `peer`. */
MT_API mt_status* mt_npu_can_access_peer(int32_t device, int32_t peer, int32_t* out);
/* Free and total bytes as the device reports them. */
MT_API mt_status* mt_npu_memory_info(int32_t device, int64_t* free, int64_t* total);
/* Waits for all streams of the device, and returns the first error of its work. */
MT_API mt_status* mt_npu_synchronize(int32_t device);

/* ---- streams ------------------------------------------------------------------------------------------------------ */

/* A stream is a number, unique in its device: 0 is the default stream. Streams of the pool (32 per priority) are assigned round-robin
 * and never freed. priority: 0, or -1 for high; other numbers are clamped. */
MT_API mt_status* mt_npu_stream_new(int32_t device, int32_t priority, int64_t* out);
/* A stream for a vendor's handle (aclrtStream), which the caller still owns. */
MT_API mt_status* mt_npu_stream_from_handle(int32_t device, void* handle, int64_t* out);
MT_API mt_status* mt_npu_stream_handle(int32_t device, int64_t stream, void** out);
MT_API mt_status* mt_npu_stream_priority(int32_t device, int64_t stream, int32_t* out);
/* The calling thread's current stream on a device; 0 until set. */
MT_API mt_status* mt_npu_stream_get(int32_t device, int64_t* out);
MT_API mt_status* mt_npu_stream_set(int32_t device, int64_t stream);
/* 1 if all work is done. */
MT_API mt_status* mt_npu_stream_query(int32_t device, int64_t stream, int32_t* out);
MT_API mt_status* mt_npu_stream_synchronize(int32_t device, int64_t stream);
/* 1 while the stream records a graph. */
MT_API mt_status* mt_npu_stream_is_capturing(int32_t device, int64_t stream, int32_t* out);
/* Calls `callback(user)` on a thread of the library when the stream's earlier work is done. */
MT_API mt_status* mt_npu_stream_call(int32_t device, int64_t stream, void (*callback)(void* user), void* user);

/* ---- events -------------------------------------------------------------------------------------------------------- */

typedef struct mt_npu_event mt_npu_event;
enum { MT_NPU_EVENT_TIMING = 1, MT_NPU_EVENT_BLOCKING = 2 };  /* bits of `flags` */
/* Creates an event; the first record decides its device. Reference counted (+1 here); release it with mt_npu_event_release. */
MT_API mt_status* mt_npu_event_create(int32_t flags, mt_npu_event** out);
MT_API void mt_npu_event_retain(mt_npu_event* event);
MT_API void mt_npu_event_release(mt_npu_event* event);
MT_API mt_status* mt_npu_event_record(mt_npu_event* event, int32_t device, int64_t stream);
/* 1 if the recorded work is done, or nothing was recorded. */
MT_API mt_status* mt_npu_event_query(const mt_npu_event* event, int32_t* out);
MT_API mt_status* mt_npu_event_synchronize(const mt_npu_event* event);
/* Later work of the stream waits for the event; does nothing if it was not recorded. */
MT_API mt_status* mt_npu_event_wait(const mt_npu_event* event, int32_t device, int64_t stream);
/* Milliseconds from `start` to `end`. */
MT_API mt_status* mt_npu_event_elapsed(const mt_npu_event* start, const mt_npu_event* end, double* out);
/* The device of the first record, -1 before. */
MT_API mt_status* mt_npu_event_device(const mt_npu_event* event, int32_t* out);
/* The vendor's handle (aclrtEvent), NULL before the first record. Borrowed. */
MT_API mt_status* mt_npu_event_handle(const mt_npu_event* event, void** out);

/* ---- device memory -------------------------------------------------------------------------------------------------- */

/* Allocates from the caching allocator for use on one stream; free it with mt_npu_free. NULL for 0 bytes. */
MT_API mt_status* mt_npu_allocate(int32_t device, int64_t nbytes, int64_t stream, void** out);
MT_API mt_status* mt_npu_free(void* pointer);
/* Records that another stream uses an NPU tensor's memory: after it is freed, it is reused only when that stream's work is done. */
MT_API mt_status* mt_npu_record_stream(const mt_tensor* tensor, int64_t stream);
/* Returns unused cached memory to the device. */
MT_API mt_status* mt_npu_empty_cache(void);
/* Names and values as torch.cuda.memory_stats() has them: "allocation.all.current", "reserved_bytes.large_pool.peak", "num_ooms", ...
 * Stops at the first status that `visit` returns, and returns it. */
typedef mt_status* (*mt_npu_figure_fn)(void* user, const char* name, int64_t value);
MT_API mt_status* mt_npu_memory_stats(int32_t device, mt_npu_figure_fn visit, void* user);
MT_API mt_status* mt_npu_memory_reset_peak(int32_t device);
MT_API mt_status* mt_npu_memory_reset_accumulated(int32_t device);
/* The share of a device's memory that this process may use, above 0 and up to 1. */
MT_API mt_status* mt_npu_memory_fraction_get(int32_t device, double* out);
MT_API mt_status* mt_npu_memory_fraction_set(int32_t device, double fraction);
/* Changes the settings of MINDTORCH_NPU_ALLOC_CONF for later allocations: "max_split_size_mb:64,garbage_collection_threshold:0.8". Fails
 * with torch's texts for invalid settings. */
MT_API mt_status* mt_npu_allocator_settings(const char* settings);

enum { MT_NPU_BLOCK_INACTIVE = 0, MT_NPU_BLOCK_ALLOCATED = 1, MT_NPU_BLOCK_AWAITING_FREE = 2 };  /* mt_npu_block.state */
typedef struct mt_npu_block {
  size_t struct_size;
  int64_t address, size, requested_size; /* bytes */
  int32_t state;
} mt_npu_block;
typedef struct mt_npu_segment {
  size_t struct_size;
  int64_t address, total_size, allocated_size, active_size, requested_size; /* bytes */
  int64_t stream;
  int64_t pool_owner, pool_id;           /* of the graph that owns it; 0, 0 without one */
  int32_t device;
  int32_t is_large;                      /* in the pool of large allocations */
  int32_t n_blocks;
  const mt_npu_block* blocks;            /* ordered by address; borrowed: valid during the visit */
} mt_npu_segment;
/* All segments of all devices, ordered by address. */
MT_API mt_status* mt_npu_memory_snapshot(mt_status* (*visit)(void* user, const mt_npu_segment* segment), void* user);

/* ---- pinned host memory ---------------------------------------------------------------------------------------------- */

/* A CPU storage in pinned memory, for asynchronous copies to a device. */
MT_API mt_status* mt_npu_pinned_storage(int64_t nbytes, mt_storage** out);
MT_API mt_status* mt_npu_is_pinned(const mt_storage* storage, int32_t* out);
/* torch.cuda.host_memory_stats(): "allocations.current", "active_bytes.peak", "num_host_alloc", ... */
MT_API mt_status* mt_npu_host_memory_stats(mt_npu_figure_fn visit, void* user);
MT_API mt_status* mt_npu_host_memory_reset_peak(void);
MT_API mt_status* mt_npu_host_memory_reset_accumulated(void);
MT_API mt_status* mt_npu_host_empty_cache(void);

/* ---- generators -------------------------------------------------------------------------------------------------------- */

/* The process-wide generator of a device, +1. mt_generator_create makes others. The state of an NPU's generator has 16 bytes: seed,
 * offset. */
MT_API mt_status* mt_npu_generator_default(int32_t device, mt_generator** out);
MT_API mt_status* mt_npu_generator_get_offset(const mt_generator* generator, uint64_t* out);
/* The offset must be a multiple of 4, as in torch. */
MT_API mt_status* mt_npu_generator_set_offset(mt_generator* generator, uint64_t offset);

/* ---- graphs ------------------------------------------------------------------------------------------------------------- */

typedef struct mt_npu_graph mt_npu_graph;
/* A graph records a stream's work between begin and end, and repeats it on the same memory in each replay. NotImplementedError
 * if the vendor's library does not support it. */
MT_API mt_status* mt_npu_graph_create(mt_npu_graph** out);
MT_API void mt_npu_graph_release(mt_npu_graph* graph);
/* Captures the calling thread's current stream, which must not be the default one. Memory comes from the graph's own pool (0, 0), or
 * from a shared pool (a pair of numbers from mt_npu_graph_pool_new). mode: 0 global, 1 thread-local, 2 relaxed. */
MT_API mt_status* mt_npu_graph_capture_begin(mt_npu_graph* graph, int64_t pool_owner, int64_t pool_id, int32_t mode);
MT_API mt_status* mt_npu_graph_capture_end(mt_npu_graph* graph);
/* Replays the graph on the calling thread's current stream. */
MT_API mt_status* mt_npu_graph_replay(mt_npu_graph* graph);
MT_API mt_status* mt_npu_graph_reset(mt_npu_graph* graph);
MT_API mt_status* mt_npu_graph_pool(const mt_npu_graph* graph, int64_t* owner, int64_t* id);
MT_API mt_status* mt_npu_graph_pool_new(int64_t* owner, int64_t* id);

/* ---- operators ----------------------------------------------------------------------------------------------------------- */

/* The aclnn operator that implements an operator on NPUs ("Add", or with its arguments: "Softmax(self, dim)"), or NULL if it has none.
 * Never freed. */
MT_API mt_status* mt_npu_kernel_name(const mt_op* op, const char** out);
/* The aclnn operator for calls in which the last tensor is a number ("Adds"), or NULL. */
MT_API mt_status* mt_npu_number_kernel_name(const mt_op* op, const char** out);

/* ---- the simulator ------------------------------------------------------------------------------------------------------- */

/* 1 if the loaded library is the simulator (libmindtorch_npu_sim.so); loads nothing. */
MT_API int32_t mt_npu_is_simulator(void);
/*
 * Schedules faults, counted from now; "" removes them and repairs the devices. RuntimeError if the loaded library is not the simulator.
 * Items are separated by commas: "fail:CALL:N[:CODE]" the Nth call of an aclrt or aclnn function ("*": of any) returns an error;
 * "memory:BYTES" limits device memory; "delay:MICROSECONDS" delays every task; "sticky:DEVICE:N" the Nth task of a device
 * fails, and so does all later work of its stream; "lost:DEVICE:N" the device is lost at its Nth task. MINDTORCH_NPU_SIM_FAULTS sets
 * them when the simulator is loaded.
 */
MT_API mt_status* mt_npu_simulator_faults(const char* faults);
/* Counters since load or reset: "copies.host_to_device", "copies.device_to_host", "copies.device_to_device", "bytes.host_to_device",
 * ..., "kernels", "launches", "allocations", "frees", "live_allocations", "races", "faults". */
MT_API mt_status* mt_npu_simulator_counters(mt_npu_figure_fn visit, void* user);
MT_API mt_status* mt_npu_simulator_reset_counters(void);
/* A description of the first race since the reset, or "" for none: two tasks of different streams that access the same memory, at least
 * one of them writing, without an event between them. Owned by the library until the calling thread's next call. */
MT_API const char* mt_npu_simulator_race(void);

#ifdef __cplusplus
}
#endif

#endif
