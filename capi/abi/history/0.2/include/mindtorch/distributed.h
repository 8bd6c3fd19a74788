/* Distributed computing: stores for rendezvous, process groups, collectives, point-to-point messages, and custom backends. */
#ifndef MINDTORCH_DISTRIBUTED_H_
#define MINDTORCH_DISTRIBUTED_H_

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Statuses of this header have the kinds "DistStoreError", "DistNetworkError", "QueueEmptyError", "DistBackendError", and Python's.
 * Times are in milliseconds. No function waits longer than its own, its store's or its group's timeout. Data from connections is never
 * trusted: every length is limited. Functions may be called from any thread, also concurrently.
 */

typedef struct mt_store mt_store; /* reference counted, like tensors */
typedef struct mt_work mt_work;
typedef struct mt_group mt_group;

/* ---- stores: key-value tables that processes share --------------------------------------------------------------------------- */

MT_API void mt_store_retain(mt_store* store);  /* adds a reference */
MT_API void mt_store_release(mt_store* store);  /* drops a reference; the last closes its connection, server or file */

/* A store in this process's memory, for its threads. */
MT_API mt_status* mt_store_hash_create(mt_store** out);
/* A store in a file that all processes can open and lock; creates it if needed. The last of `world_size` users removes it (-1: no). */
MT_API mt_status* mt_store_file_create(const char* path, int64_t world_size, mt_store** out);
/* A view of another store that puts "prefix/" before every key. Holds a reference to `store`. */
MT_API mt_status* mt_store_prefix_create(const char* prefix, mt_store* store, mt_store** out);

typedef struct mt_tcp_store_options {
  size_t struct_size;
  const char* host;           /* of the server */
  int32_t port;               /* 0 on the server: a free port, which mt_store_tcp_info returns */
  int32_t is_server;          /* 1: this process runs the server, and is also a client */
  int64_t world_size;         /* expected clients; 0: unknown */
  int32_t wait_for_workers;   /* 1: the server waits for world_size clients */
  int32_t multi_tenant;       /* 1: stores of this process on one port share a server */
  int32_t has_descriptor;     /* 1: `descriptor` is a listening socket; the server takes ownership */
  int32_t descriptor;
  int64_t timeout;            /* of connections and of waits for keys; 0: five minutes */
  const char* listen_address; /* of the server; NULL: all addresses of this machine, as in torch */
  const char* secret;         /* shared by both ends; NULL or "": none, as in torch. Authenticates connections; encrypts nothing */
} mt_tcp_store_options;
/* A store with a server in one process and clients on any machine; client and server are compatible with TCPStore of torch 2.13.
 * DistNetworkError if the server cannot be reached in time or cannot listen, DistStoreError if clients are missing. */
MT_API mt_status* mt_store_tcp_create(const mt_tcp_store_options* options, mt_store** out);
/* The port of a TCP store, and a description of its sockets (a string). TypeError for other stores. */
MT_API mt_status* mt_store_tcp_info(const mt_store* store, int32_t* port, mt_value* description);

/* A custom store: each function gets `user`. Calls of a NULL function raise NotImplementedError. `key` and `value` are borrowed;
 * `out` must be owned (mt_value_copy). Values are byte strings, lists of keys are lists of strings. */
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

MT_API mt_status* mt_store_timeout(const mt_store* store, int64_t* out);  /* of get, wait and pop */
MT_API mt_status* mt_store_set_timeout(mt_store* store, int64_t timeout);  /* more than 0 */
MT_API mt_status* mt_store_set(mt_store* store, const char* key, const void* value, int64_t size);
/* Waits for the key. The value is an owned string. */
MT_API mt_status* mt_store_get(mt_store* store, const char* key, mt_value* out);
/* Adds to a decimal number (initially 0) and returns the sum. */
MT_API mt_status* mt_store_add(mt_store* store, const char* key, int64_t amount, int64_t* out);
/* Stores `desired` if the value is `expected`, or if it is missing and `expected` is empty. Returns the value afterwards, or `expected` if
 * there is none. */
MT_API mt_status* mt_store_compare_set(mt_store* store, const char* key, const mt_value* expected, const mt_value* desired, mt_value* out);
MT_API mt_status* mt_store_delete(mt_store* store, const char* key, int32_t* existed);
MT_API mt_status* mt_store_check(mt_store* store, const char* const* keys, int64_t count, int32_t* out);  /* 1: all exist */
/* Waits until all keys exist. timeout 0: the store's. */
MT_API mt_status* mt_store_wait(mt_store* store, const char* const* keys, int64_t count, int64_t timeout);
MT_API mt_status* mt_store_count(mt_store* store, int64_t* out);  /* of all keys, with any prefix */
MT_API mt_status* mt_store_keys(mt_store* store, mt_value* out);  /* an owned list of strings */
MT_API mt_status* mt_store_append(mt_store* store, const char* key, const void* value, int64_t size);
MT_API mt_status* mt_store_multi_get(mt_store* store, const char* const* keys, int64_t count, mt_value* out);
MT_API mt_status* mt_store_multi_set(mt_store* store, const char* const* keys, const mt_value* values, int64_t count);
MT_API mt_status* mt_store_queue_push(mt_store* store, const char* key, const void* value, int64_t size);
MT_API mt_status* mt_store_queue_pop(mt_store* store, const char* key, int32_t block, mt_value* out);  /* QueueEmptyError if empty */
MT_API mt_status* mt_store_queue_size(mt_store* store, const char* key, int64_t* out);
/* Waits until `world_size` callers have called it. timeout 0: the store's. */
MT_API mt_status* mt_store_barrier(mt_store* store, const char* key, int64_t world_size, int64_t timeout);
/* Another client of the same table. */
MT_API mt_status* mt_store_clone(mt_store* store, mt_store** out);
/* This machine's address on its connection to the server of a TCP store (also behind prefixes), at which peers can reach it. An
 * empty string for other stores. */
MT_API mt_status* mt_store_local_address(mt_store* store, mt_value* out);

/* ---- collectives --------------------------------------------------------------------------------------------------------------- */

enum {  /* kinds, with their `inputs` and `outputs`; tensors that change in place are outputs */
       MT_ALL_REDUCE = 0,            /* outputs: one or several, each reduced with the same index on the other ranks */
       MT_REDUCE = 1,                /* outputs: one; the result on `root` */
       MT_BROADCAST = 2,             /* outputs: one; sent by `root` */
       MT_ALL_GATHER = 3,            /* inputs: one; outputs: one for each rank */
       MT_ALL_GATHER_SINGLE = 4,     /* inputs: one; outputs: one, with as many elements as all ranks' inputs */
       MT_GATHER = 5,                /* inputs: one; outputs: on `root` one for each rank */
       MT_SCATTER = 6,               /* outputs: one; inputs: on `root` one for each rank */
       MT_REDUCE_SCATTER = 7,        /* inputs: one for each rank; outputs: one */
       MT_REDUCE_SCATTER_SINGLE = 8, /* inputs: one, with as many elements as all ranks' outputs; outputs: one */
       MT_ALL_TO_ALL = 9,            /* inputs, outputs: one for each rank */
       MT_ALL_TO_ALL_SINGLE = 10,    /* inputs, outputs: one, split along the first dimension by the splits, or evenly */
       MT_SEND = 11,                 /* inputs: one, to rank `root` */
       MT_RECEIVE = 12,              /* outputs: one, from rank `root`; -1: from any */
       MT_BARRIER = 13,
       MT_MONITORED_BARRIER = 14     /* rank 0 reports a missing rank; with `flags` MT_WAIT_ALL_RANKS: all of them */
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
  int64_t tag;      /* of messages: equal for sender and receiver; from 0 to 2^31 - 1 */
  int64_t timeout;  /* 0: the group's */
  int32_t is_async; /* 0: the caller waits immediately, so its own thread may do the work */
  mt_tensor* const* inputs;
  int64_t n_inputs;
  mt_tensor* const* outputs;
  int64_t n_outputs;
  const int64_t* input_splits; /* rows for each rank; without splits: equal numbers */
  int64_t n_input_splits;
  const int64_t* output_splits;
  int64_t n_output_splits;
} mt_collective;

/* ---- works: collectives in progress ------------------------------------------------------------------------------------------- */

MT_API void mt_work_retain(mt_work* work);
MT_API void mt_work_release(mt_work* work);  /* does not stop running work */
/* Waits for the end and returns the work's error. timeout 0: the group's. */
MT_API mt_status* mt_work_wait(mt_work* work, int64_t timeout);
MT_API mt_status* mt_work_is_completed(mt_work* work, int32_t* out);  /* 1 also if it failed */
/* The work's error, owned by the caller; *out is NULL if the work succeeded or is still running. */
MT_API mt_status* mt_work_error(mt_work* work, mt_status** out);
/* The rank that sent a received message. RuntimeError for other works. */
MT_API mt_status* mt_work_source_rank(mt_work* work, int32_t* out);
/* Calls fn(user, error) once, on any thread, when the work ends; immediately if it has ended. `error` is borrowed, NULL: none. */
MT_API mt_status* mt_work_then(mt_work* work, void (*fn)(void* user, const mt_status* error), void* user);

/* ---- groups ----------------------------------------------------------------------------------------------------------------- */

typedef struct mt_group_options {
  size_t struct_size;
  const char* backend; /* "gloo", or one per device type: "cpu:gloo,npu:hccl" */
  mt_store* store;     /* for the rendezvous: every group needs its own keys (mt_store_prefix_create) */
  int32_t rank;
  int32_t size;
  int64_t timeout;     /* of each collective; 0: 30 minutes */
  const char* name;    /* for messages; NULL: "" */
} mt_group_options;
/* Connects to the other members, which all make this call with the same options except `rank`. */
MT_API mt_status* mt_group_create(const mt_group_options* options, mt_group** out);
MT_API void mt_group_retain(mt_group* group);
MT_API void mt_group_release(mt_group* group);  /* the last one closes its connections */
MT_API mt_status* mt_group_rank(const mt_group* group, int32_t* out);
MT_API mt_status* mt_group_size(const mt_group* group, int32_t* out);
MT_API mt_status* mt_group_timeout(const mt_group* group, int64_t* out);
MT_API mt_status* mt_group_set_timeout(mt_group* group, int64_t timeout);
MT_API mt_status* mt_group_sequence(const mt_group* group, int64_t* out);  /* the number of collectives started */
/* Starts a collective or a message with the backend of the tensors' device. Collectives on one device run in the order of the calls,
 * which must be the same on all members. Invalid arguments fail here, with torch's texts; later failures are the work's error. */
MT_API mt_status* mt_group_start(mt_group* group, const mt_collective* what, mt_work** out);
/* Fails all work in progress, and closes the connections. */
MT_API mt_status* mt_group_abort(mt_group* group);

/* ---- custom backends --------------------------------------------------------------------------------------------------------- */

/* A transfer of contiguous memory of the backend's device. `count` is the number of elements of one rank. */
typedef struct mt_transfer {
  size_t struct_size;
  int32_t kind;      /* MT_ALL_REDUCE (in place: output), MT_REDUCE (likewise), MT_BROADCAST (likewise), MT_ALL_GATHER_SINGLE, MT_GATHER
                        (output on `root`: all ranks'), MT_SCATTER (input on `root`: all ranks'), MT_REDUCE_SCATTER and
                        MT_REDUCE_SCATTER_SINGLE (input: all ranks'), MT_ALL_TO_ALL_SINGLE, MT_SEND, MT_RECEIVE, MT_BARRIER */
  int32_t reduction; /* never MT_AVERAGE: the library divides */
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

/* Reduces `count` elements: out[i] = a[i] op b[i]; `out` may be `a` or `b`. */
typedef void (*mt_join_fn)(void* out, const void* a, const void* b, size_t count);
/* The function for a reduction and a dtype; fails with torch's texts if gloo has none. */
MT_API mt_status* mt_join_function(int32_t reduction, int32_t dtype, mt_join_fn* out);

/*
 * Called from several threads: for each `self` one collective at a time, and concurrent messages. If a function returns a status, the work
 * fails with it. `user` is the table's, `self` is what `create` returned.
 */
typedef struct mt_backend {
  size_t struct_size;
  const char* name;       /* "gloo"; never freed */
  const char* class_name; /* in error texts: "ProcessGroupGloo" */
  int32_t device_type;    /* of the tensors that it supports */
  void* user;
  mt_status* (*create)(void* user, const mt_group_options* options, void** self);
  void (*destroy)(void* user, void* self);
  mt_status* (*run)(void* user, void* self, const mt_transfer* transfer);  /* synchronous */
  /* Messages: `post` starts one and returns a request; its memory stays valid until `drop`. `wait` waits for it; *source is the sender. */
  mt_status* (*post)(void* user, void* self, const mt_transfer* transfer, void** request);
  mt_status* (*wait)(void* user, void* self, void* request, int64_t timeout, int32_t* source);
  void (*drop)(void* user, void* self, void* request);
  /* Fails all calls in progress, from any thread, and later calls. Called once before `destroy`. */
  void (*abort)(void* user, void* self);
  /* From the backend's launcher (mpirun): this process's rank, the number of processes, and a store of all of them (+1). Optional. */
  mt_status* (*world)(void* user, int32_t* rank, int32_t* size, mt_store** store);
} mt_backend;

/* Registers a backend under its name and copies the table. RuntimeError if the name is taken, TypeError if a function is missing.
 */
MT_API mt_status* mt_backend_register(const mt_backend* backend);

/* A plugin is a shared library with one entry point of this type and name, which calls mt_backend_register (through get_api). */
typedef mt_status* (*mt_backend_plugin_fn)(mt_status* (*get_api)(int32_t min, int32_t max, int32_t* got, const mt_api** out));
#define MT_BACKEND_PLUGIN_ENTRY "mindtorch_backend_plugin"
/* Loads a plugin; it stays loaded. mt_group_create loads libmindtorch_NAME.so from this library's folder automatically. */
MT_API mt_status* mt_backend_load(const char* path);
/* Whether a backend is registered or can be loaded. */
MT_API mt_status* mt_backend_is_available(const char* name, int32_t* out);

/* Rank, size and store from the launcher of a backend (mt_backend.world). RuntimeError for backends without a launcher. */
MT_API mt_status* mt_backend_world(const char* name, int32_t* rank, int32_t* size, mt_store** store);

#ifdef __cplusplus
}
#endif

#endif
