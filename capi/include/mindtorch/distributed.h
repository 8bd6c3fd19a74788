/* Processes that compute together: stores in which they meet, groups, collectives and messages, and backends of one's own. */
#ifndef MINDTORCH_DISTRIBUTED_H_
#define MINDTORCH_DISTRIBUTED_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Statuses of this header have the kinds "DistStoreError", "DistNetworkError", "QueueEmptyError" and "DistBackendError" besides Python's.
 * Times are milliseconds. No function waits longer than its timeout, its store's or its group's, and a connection's other end is
 * believed nothing: every length has a bound. Functions may be called from any thread, several at once.
 */

typedef struct mt_store mt_store; /* counted handles, as tensors are */
typedef struct mt_work mt_work;
typedef struct mt_group mt_group;

/* ---- stores: tables of bytes by key, of all processes that share one --------------------------------------------------------- */

MT_API void mt_store_retain(mt_store* store);  /* one owner more */
MT_API void mt_store_release(mt_store* store);  /* one less; the last closes its connection, its server, its file */

/* In this process's memory, for its threads. */
MT_API mt_status* mt_store_hash_create(mt_store** out);
/* In a file that all processes can open and lock; made where it is missing. The last of `world_size` users removes it (-1: it stays). */
MT_API mt_status* mt_store_file_create(const char* path, int64_t world_size, mt_store** out);
/* A view of another store: "prefix/" goes before every key. It is one owner more of `store`. */
MT_API mt_status* mt_store_prefix_create(const char* prefix, mt_store* store, mt_store** out);

typedef struct mt_tcp_store_options {
  size_t struct_size;
  const char* host;           /* of the server */
  int32_t port;               /* 0 on the server: a free one, which mt_store_tcp_info says */
  int32_t is_server;          /* 1: this process keeps the table, and is a client as well */
  int64_t world_size;         /* clients to come; 0: unknown */
  int32_t wait_for_workers;   /* 1: the server waits for world_size clients */
  int32_t multi_tenant;       /* 1: stores of this process on one port share a server */
  int32_t has_descriptor;     /* 1: `descriptor` is a socket that listens already; the server takes it over */
  int32_t descriptor;
  int64_t timeout;            /* for the server, the clients and keys; 0: five minutes */
  const char* listen_address; /* where the server listens; NULL: on all addresses of this machine, as torch's does */
  const char* secret;         /* both ends must know it; NULL or "": none, as torch's. It proves who connects; it encrypts nothing */
} mt_tcp_store_options;
/* A table that one process keeps for clients on any machine; it speaks with TCPStores of torch 2.13, as a client and as a server.
 * DistNetworkError where the server cannot be reached in time or cannot listen, DistStoreError where clients are missing. */
MT_API mt_status* mt_store_tcp_create(const mt_tcp_store_options* options, mt_store** out);
/* The port of a TCP store, and a description of its sockets (a string). TypeError of other stores. */
MT_API mt_status* mt_store_tcp_info(const mt_store* store, int32_t* port, mt_value* description);

/* Stores of one's own: `user` goes to each function. A function that is NULL raises NotImplementedError. `key` and `value` are borrowed;
 * what `out` gets is owned (mt_value_copy). Values are strings of bytes, lists of keys are lists of strings. */
typedef struct mt_store_table {
  size_t struct_size;
  mt_status* (*set)(void* user, const char* key, const mt_value* value);
  mt_status* (*get)(void* user, const char* key, mt_value* out);
  mt_status* (*add)(void* user, const char* key, int64_t amount, int64_t* out);
  mt_status* (*compare_set)(void* user, const char* key, const mt_value* expected, const mt_value* desired, mt_value* out);
  mt_status* (*remove)(void* user, const char* key, int32_t* out);
  mt_status* (*check)(void* user, const mt_value* keys, int32_t* out);
  mt_status* (*wait)(void* user, const mt_value* keys, int64_t timeout);
  mt_status* (*count)(void* user, int64_t* out);
  mt_status* (*append)(void* user, const char* key, const mt_value* value);
  mt_status* (*multi_get)(void* user, const mt_value* keys, mt_value* out);
  mt_status* (*multi_set)(void* user, const mt_value* keys, const mt_value* values);
} mt_store_table;
/* `destroy(user)` runs once, when the store is freed; not on failure. */
MT_API mt_status* mt_store_create(const mt_store_table* table, void* user, void (*destroy)(void* user), mt_store** out);

MT_API mt_status* mt_store_timeout(const mt_store* store, int64_t* out);  /* how long get, wait and pop wait */
MT_API mt_status* mt_store_set_timeout(mt_store* store, int64_t timeout);  /* more than 0 */
MT_API mt_status* mt_store_set(mt_store* store, const char* key, const void* value, int64_t size);
/* Waits for the key. The value is an owned string. */
MT_API mt_status* mt_store_get(mt_store* store, const char* key, mt_value* out);
/* Adds to a decimal number, 0 where there is none; gives the sum. */
MT_API mt_status* mt_store_add(mt_store* store, const char* key, int64_t amount, int64_t* out);
/* Stores `desired` where the value is `expected`, or is missing and expected empty. Gives what is there then, `expected` where nothing is.
 */
MT_API mt_status* mt_store_compare_set(mt_store* store, const char* key, const mt_value* expected, const mt_value* desired, mt_value* out);
MT_API mt_status* mt_store_delete(mt_store* store, const char* key, int32_t* existed);
MT_API mt_status* mt_store_check(mt_store* store, const char* const* keys, int64_t count, int32_t* out);  /* 1: all are there */
/* Waits until all keys are there. timeout 0: the store's. */
MT_API mt_status* mt_store_wait(mt_store* store, const char* const* keys, int64_t count, int64_t timeout);
MT_API mt_status* mt_store_count(mt_store* store, int64_t* out);  /* of all keys, under a prefix or not */
MT_API mt_status* mt_store_keys(mt_store* store, mt_value* out);  /* an owned list of strings */
MT_API mt_status* mt_store_append(mt_store* store, const char* key, const void* value, int64_t size);
MT_API mt_status* mt_store_multi_get(mt_store* store, const char* const* keys, int64_t count, mt_value* out);
MT_API mt_status* mt_store_multi_set(mt_store* store, const char* const* keys, const mt_value* values, int64_t count);
MT_API mt_status* mt_store_queue_push(mt_store* store, const char* key, const void* value, int64_t size);
MT_API mt_status* mt_store_queue_pop(mt_store* store, const char* key, int32_t block,
                                     mt_value* out);  /* QueueEmptyError where it is empty */
MT_API mt_status* mt_store_queue_size(mt_store* store, const char* key, int64_t* out);
/* Waits until `world_size` callers have come. timeout 0: the store's. */
MT_API mt_status* mt_store_barrier(mt_store* store, const char* key, int64_t world_size, int64_t timeout);
/* Another client of the same table. */
MT_API mt_status* mt_store_clone(mt_store* store, mt_store** out);
/* The address by which this machine reaches the server of a TCP store, under whatever prefixes: where peers can reach this machine. An
 * empty string of other stores. */
MT_API mt_status* mt_store_local_address(mt_store* store, mt_value* out);

/* ---- collectives --------------------------------------------------------------------------------------------------------------- */

enum {  /* kinds. Tensors go to `inputs` and `outputs`; those that are changed in place are outputs */
       MT_ALL_REDUCE = 0,            /* outputs: one or several, each joined with that of the same index on the other ranks */
       MT_REDUCE = 1,                /* outputs: one; has the result on `root` */
       MT_BROADCAST = 2,             /* outputs: one; what `root` has */
       MT_ALL_GATHER = 3,            /* inputs: one; outputs: one for each rank */
       MT_ALL_GATHER_SINGLE = 4,     /* inputs: one; outputs: one, of as many elements as all ranks' together */
       MT_GATHER = 5,                /* inputs: one; outputs: on `root` one for each rank */
       MT_SCATTER = 6,               /* outputs: one; inputs: on `root` one for each rank */
       MT_REDUCE_SCATTER = 7,        /* inputs: one for each rank; outputs: one */
       MT_REDUCE_SCATTER_SINGLE = 8, /* inputs: one, of as many elements as all outputs together; outputs: one */
       MT_ALL_TO_ALL = 9,            /* inputs, outputs: one for each rank */
       MT_ALL_TO_ALL_SINGLE = 10,    /* inputs, outputs: one, cut along the first dimension by the splits, or evenly */
       MT_SEND = 11,                 /* inputs: one, to rank `root` */
       MT_RECEIVE = 12,              /* outputs: one, from rank `root`; -1: from any */
       MT_BARRIER = 13,
       MT_MONITORED_BARRIER = 14     /* rank 0 says who did not come; `flags` MT_WAIT_ALL_RANKS: all of them */
};
enum {  /* reductions */
       MT_SUM = 0,
       MT_AVERAGE = 1,
       MT_PRODUCT = 2,
       MT_MINIMUM = 3,
       MT_MAXIMUM = 4,
       MT_BIT_AND = 5,
       MT_BIT_OR = 6,
       MT_BIT_XOR = 7
};
enum { MT_WAIT_ALL_RANKS = 1 };

typedef struct mt_collective {
  size_t struct_size;
  int32_t kind;
  int32_t reduction;
  int32_t root;     /* a rank of the group */
  int32_t flags;
  int64_t tag;      /* of messages: the receiver asks for the same; from 0 to 2^31 - 1 */
  int64_t timeout;  /* 0: the group's */
  int32_t is_async; /* 0: the caller will wait at once, so that its own thread may do the work */
  mt_tensor* const* inputs;
  int64_t n_inputs;
  mt_tensor* const* outputs;
  int64_t n_outputs;
  const int64_t* input_splits; /* rows for each rank; 0 of them: as many for each */
  int64_t n_input_splits;
  const int64_t* output_splits;
  int64_t n_output_splits;
} mt_collective;

/* ---- works: collectives on their way ------------------------------------------------------------------------------------------ */

MT_API void mt_work_retain(mt_work* work);
MT_API void mt_work_release(mt_work* work);  /* the last one of a running work does not end it */
/* Waits for the end; gives what went wrong. timeout 0: the group's. */
MT_API mt_status* mt_work_wait(mt_work* work, int64_t timeout);
MT_API mt_status* mt_work_is_completed(mt_work* work, int32_t* out);  /* 1 also where it failed */
/* What went wrong, or NULL in *out where nothing did or it is not over. The caller owns it. */
MT_API mt_status* mt_work_error(mt_work* work, mt_status** out);
/* The rank that a received message came from. RuntimeError of other works. */
MT_API mt_status* mt_work_source_rank(mt_work* work, int32_t* out);
/* Calls fn(user, error) once, when the work has ended, on whichever thread: at once where it has. `error` is borrowed, NULL: none. */
MT_API mt_status* mt_work_then(mt_work* work, void (*fn)(void* user, const mt_status* error), void* user);

/* ---- groups ----------------------------------------------------------------------------------------------------------------- */

typedef struct mt_group_options {
  size_t struct_size;
  const char* backend; /* "gloo", or one for each kind of device: "cpu:gloo,npu:hccl" */
  mt_store* store;     /* where the members meet: every group needs keys of its own (mt_store_prefix_create) */
  int32_t rank;
  int32_t size;
  int64_t timeout;     /* of each collective; 0: 30 minutes */
  const char* name;    /* for messages; NULL: "" */
} mt_group_options;
/* Meets the other members. All of them call it with the same options but `rank`. */
MT_API mt_status* mt_group_create(const mt_group_options* options, mt_group** out);
MT_API void mt_group_retain(mt_group* group);
MT_API void mt_group_release(mt_group* group);  /* the last one closes its connections */
MT_API mt_status* mt_group_rank(const mt_group* group, int32_t* out);
MT_API mt_status* mt_group_size(const mt_group* group, int32_t* out);
MT_API mt_status* mt_group_timeout(const mt_group* group, int64_t* out);
MT_API mt_status* mt_group_set_timeout(mt_group* group, int64_t timeout);
MT_API mt_status* mt_group_sequence(const mt_group* group, int64_t* out);  /* how many collectives were started */
/* Starts a collective or a message, by the backend of the tensors' device. Collectives of one device run in the order of the calls,
 * which must be the same on all members. Wrong arguments fail here, with torch's texts; what fails later is the work's. */
MT_API mt_status* mt_group_start(mt_group* group, const mt_collective* what, mt_work** out);
/* Ends all that is on its way with an error, and closes the connections. */
MT_API mt_status* mt_group_abort(mt_group* group);

/* ---- backends of one's own --------------------------------------------------------------------------------------------------- */

/* What a backend moves: contiguous memory of the device that it serves. `count` is the elements of one rank's part. */
typedef struct mt_transfer {
  size_t struct_size;
  int32_t kind;      /* MT_ALL_REDUCE (in place: output), MT_REDUCE (likewise), MT_BROADCAST (likewise), MT_ALL_GATHER_SINGLE, MT_GATHER
                        (output on `root`: all parts), MT_SCATTER (input on `root`: all parts), MT_REDUCE_SCATTER and
                        MT_REDUCE_SCATTER_SINGLE (alike: input all parts), MT_ALL_TO_ALL_SINGLE, MT_SEND, MT_RECEIVE, MT_BARRIER */
  int32_t reduction; /* no MT_AVERAGE: the library divides */
  int32_t dtype;
  int32_t root;
  int64_t tag;
  int64_t timeout;   /* more than 0 */
  const void* input;
  void* output;
  int64_t count;
  int64_t item_size; /* bytes */
  const int64_t* input_counts; /* MT_ALL_TO_ALL_SINGLE: elements for and from each rank */
  const int64_t* output_counts;
} mt_transfer;

/* Joins `count` elements: out[i] = a[i] op b[i]; `out` may be `a` or `b`. */
typedef void (*mt_join_fn)(void* out, const void* a, const void* b, size_t count);
/* The function for a reduction and a dtype, with torch's texts where gloo has none. */
MT_API mt_status* mt_join_function(int32_t reduction, int32_t dtype, mt_join_fn* out);

/*
 * Called from several threads: one collective at a time for each `self`, messages beside it. A status is the work's failure. `user` is the
 * table's, `self` what `create` made.
 */
typedef struct mt_backend {
  size_t struct_size;
  const char* name;       /* "gloo"; lives as long as the process */
  const char* class_name; /* in error texts: "ProcessGroupGloo" */
  int32_t device_type;    /* whose tensors it takes */
  void* user;
  mt_status* (*create)(void* user, const mt_group_options* options, void** self);
  void (*destroy)(void* user, void* self);
  mt_status* (*run)(void* user, void* self, const mt_transfer* transfer);  /* returns when it is done */
  /* Messages: starts one, and gives a request; memory stays until `drop`. `wait` returns when it is done: in *source the sender. */
  mt_status* (*post)(void* user, void* self, const mt_transfer* transfer, void** request);
  mt_status* (*wait)(void* user, void* self, void* request, int64_t timeout, int32_t* source);
  void (*drop)(void* user, void* self, void* request);
  /* Ends what is on its way with an error, from any thread; later calls fail. Called once before `destroy`. */
  void (*abort)(void* user, void* self);
  /* What the backend's launcher (mpirun) says: this process's rank, their number, and a store of all of them (+1). Optional. */
  mt_status* (*world)(void* user, int32_t* rank, int32_t* size, mt_store** store);
} mt_backend;

/* Makes a backend known under its name; the table is copied. RuntimeError where the name is taken, TypeError where a function is missing.
 */
MT_API mt_status* mt_backend_register(const mt_backend* backend);

/* A plugin is a shared library with one entry of this type and name, which calls mt_backend_register (reached by get_api). */
typedef mt_status* (*mt_backend_plugin_fn)(mt_status* (*get_api)(int32_t min, int32_t max, int32_t* got, const mt_api** out));
#define MT_BACKEND_PLUGIN_ENTRY "mindtorch_backend_plugin"
/* Loads a plugin; it stays loaded. mt_group_create does so by itself for libmindtorch_NAME.so beside this library. */
MT_API mt_status* mt_backend_load(const char* path);
/* Whether a backend is known or can be loaded: 1 or 0 in *out. */
MT_API mt_status* mt_backend_is_available(const char* name, int32_t* out);

/* What the launcher of a backend says of all processes (mt_backend.world). RuntimeError of backends without one. */
MT_API mt_status* mt_backend_world(const char* name, int32_t* rank, int32_t* size, mt_store** store);

#ifdef __cplusplus
}
#endif

#endif
