/* Automatic differentiation: gradients, the engine, hooks, graph nodes and custom functions. */
#ifndef MINDTORCH_AUTOGRAD_H_
#define MINDTORCH_AUTOGRAD_H_

#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- modes (per thread) ------------------------------------------------------------------------------------------------- */

enum {
  MT_MODE_GRAD = 0,      /* operations are recorded; on by default */
  MT_MODE_INFERENCE = 1, /* new tensors are inference tensors; setting it sets MT_MODE_GRAD and MT_MODE_FORWARD_GRAD to the opposite */
  MT_MODE_ANOMALY = 2,   /* nodes keep forward tracebacks, and errors show them */
  MT_MODE_ANOMALY_CHECK_NAN = 3,
  MT_MODE_MULTITHREADING = 4,
  MT_MODE_FORWARD_GRAD = 5,
  MT_MODE_VIEW_REPLAY = 6
};
MT_API mt_status* mt_mode_get(int32_t mode, int32_t* out);  /* ValueError for an unknown mode */
MT_API mt_status* mt_mode_set(int32_t mode, int32_t on);  /* for later calls */

/* ---- tensors -------------------------------------------------------------------------------------------------------------- */

/* Fails with torch's texts for integer dtypes, and for non-leaf tensors if `on` is 0. */
MT_API mt_status* mt_tensor_set_requires_grad(mt_tensor* tensor, int32_t on);
/* The accumulated gradient; *out is NULL without one. */
MT_API mt_status* mt_tensor_grad(const mt_tensor* tensor, mt_tensor** out);
/* Sets (or with NULL clears) the gradient, without the checks of dtype, device and shape in a language's property. */
MT_API mt_status* mt_tensor_set_grad(mt_tensor* tensor, mt_tensor* grad);
/* The dtype of gradients: -1 if it was not set (the tensor's own dtype), -2 for any. */
MT_API mt_status* mt_tensor_grad_dtype(const mt_tensor* tensor, int32_t* out);
MT_API mt_status* mt_tensor_set_grad_dtype(mt_tensor* tensor, int32_t dtype);
/* The node that computes the gradient; *out is NULL for leaves. Recreates the node of a view whose base was written in place. */
MT_API mt_status* mt_tensor_grad_fn(mt_tensor* tensor, mt_node** out);
/* The node that receives the gradient: grad_fn, or a leaf's AccumulateGrad (created on demand); NULL if no gradient is required. */
MT_API mt_status* mt_tensor_gradient_edge(mt_tensor* tensor, mt_node** out, int64_t* output_nr);
MT_API mt_status* mt_tensor_retain_grad(mt_tensor* tensor);
MT_API mt_status* mt_tensor_output_nr(const mt_tensor* tensor, int64_t* out);
/* The base of a differentiable view, NULL for tensors that are not views. */
MT_API mt_status* mt_tensor_base(const mt_tensor* tensor, mt_tensor** out);
/* Detaches a tensor from its graph in place (detach_). */
MT_API mt_status* mt_tensor_detach_inplace(mt_tensor* tensor);

/* A hook on a tensor's gradient (never NULL, unless it was added as nullable); it may return another in *replacement (owned). */
typedef mt_status* (*mt_tensor_hook_fn)(void* user, mt_tensor* grad, mt_tensor** replacement);
/* `destroy(user)` runs once, when the hook is removed or the tensor is freed. *id identifies the hook for removal. */
MT_API mt_status* mt_tensor_add_hook(mt_tensor* tensor, mt_tensor_hook_fn hook, void* user, void (*destroy)(void* user), int64_t* id);
/* The same, but the hook is also called, with NULL, when a pass reaches the tensor's node and no gradient arrived for the tensor: it is one
 * of several results of an operator, or a later node had none. */
MT_API mt_status* mt_tensor_add_nullable_hook(mt_tensor* tensor, mt_tensor_hook_fn hook, void* user, void (*destroy)(void* user),
                                              int64_t* id);
/* Removes any kind of hook from this tensor; ignores unknown ids. */
MT_API mt_status* mt_tensor_remove_hook(mt_tensor* tensor, int64_t id);
/* Runs with a leaf after its gradient was accumulated. */
typedef mt_status* (*mt_accumulate_hook_fn)(void* user, mt_tensor* leaf);
MT_API mt_status* mt_tensor_add_accumulate_hook(mt_tensor* tensor, mt_accumulate_hook_fn hook, void* user, void (*destroy)(void* user),
                                                int64_t* id);

/* ---- forward mode ---------------------------------------------------------------------------------------------------------- */

/* Opens a level for tangents (aten::_make_dual, aten::_unpack_dual). Levels nest and are per process; any thread may open one. */
MT_API mt_status* mt_dual_level_enter(int64_t* level);
/* Closes the innermost level and removes its tangents from all tensors; fails for any other level. */
MT_API mt_status* mt_dual_level_exit(int64_t level);

/* ---- the engine -------------------------------------------------------------------------------------------------------------- */

/* Accumulates gradients of `n` roots into the leaves (into `inputs` only, if n_inputs > 0). grads: one per root; an entry, or grads
 * itself, may be NULL for roots with a single element, whose gradient is then 1. Runs on the caller's thread; hooks may call it. */
MT_API mt_status* mt_autograd_backward(mt_tensor* const* roots, mt_tensor* const* grads, int64_t n, int32_t retain_graph,
                                       int32_t create_graph, mt_tensor* const* inputs, int64_t n_inputs);
/* Gradients of the roots with respect to `inputs`; changes no .grad. out[i] is owned. Unused inputs get NULL with allow_unused, and are
 * an error without. */
MT_API mt_status* mt_autograd_grad(mt_tensor* const* roots, mt_tensor* const* grads, int64_t n, mt_tensor* const* inputs, int64_t n_inputs,
                                   int32_t retain_graph, int32_t create_graph, int32_t allow_unused, mt_tensor** out);

/* The general form: roots and inputs are edges (node, output or input number). accumulate: into leaves; otherwise into out. */
typedef struct mt_edge {
  mt_node* node;
  int64_t nr;
} mt_edge;
MT_API mt_status* mt_autograd_run(const mt_edge* roots, mt_tensor* const* grads, int64_t n, const mt_edge* inputs, int64_t n_inputs,
                                  int32_t retain_graph, int32_t create_graph, int32_t accumulate, int32_t allow_unused, mt_tensor** out);
/* Runs `callback` once at the end of the backward pass on this thread (RuntimeError outside of one). */
MT_API mt_status* mt_autograd_queue_callback(mt_status* (*callback)(void* user), void* user, void (*destroy)(void* user));
/* The node that runs on this thread; *out is NULL outside of a backward pass. */
MT_API mt_status* mt_autograd_current_node(mt_node** out);
/* The number of the current backward pass, -1 outside of one; and whether the pass will run a node. */
MT_API int64_t mt_autograd_graph_task_id(void);
MT_API mt_status* mt_autograd_will_execute(mt_node* node, int32_t* out);

/* ---- nodes -------------------------------------------------------------------------------------------------------------------- */

MT_API void mt_node_retain(mt_node* node);  /* adds a reference; results and later nodes hold references too */
MT_API void mt_node_release(mt_node* node);  /* drops a reference; the last frees its saved values */
MT_API mt_status* mt_node_use_count(const mt_node* node, int64_t* out);  /* references, including the caller's */
/* "AddBackward0"; owned by the node. */
MT_API mt_status* mt_node_name_borrow(const mt_node* node, const char** out);
MT_API mt_status* mt_node_sequence_nr(const mt_node* node, int64_t* out);
MT_API mt_status* mt_node_input_count(const mt_node* node, int64_t* out); /* number of the forward operation's results */
MT_API mt_status* mt_node_edge_count(const mt_node* node, int64_t* out);  /* number of next_functions */
/* next_functions[index]; *out is NULL if the forward argument needs no gradient. */
MT_API mt_status* mt_node_edge(const mt_node* node, int64_t index, mt_node** out, int64_t* nr);
MT_API mt_status* mt_node_set_sequence_nr(mt_node* node, int64_t nr);
/* Runs a single node without its hooks. grads: one gradient per forward result (NULL: undefined); out: one per edge, owned (NULL:
 * none). */
MT_API mt_status* mt_node_apply(mt_node* node, mt_tensor* const* grads, int64_t n, mt_tensor** out, int64_t n_out);
/* The leaf of an AccumulateGrad node; *out is NULL for other nodes. */
MT_API mt_status* mt_node_variable(const mt_node* node, mt_tensor** out);
/* A node's saved values by index, with names such as "self", "result", "dim" (Python's _saved_*). The value is owned; `out` may be NULL
 * to get the name alone, which stays valid after a backward pass has freed the value. */
MT_API mt_status* mt_node_saved_count(const mt_node* node, int64_t* out);
MT_API mt_status* mt_node_saved(const mt_node* node, int64_t index, const char** name, mt_value* out);
/* Hooks: `pre` gets the incoming gradients before the node runs; `post` gets (computed gradients, incoming gradients) afterwards. Undefined
 * gradients are NULL. To replace gradients, a hook writes owned tensors into `replacement` (initially NULL) and sets *replaced = 1. */
typedef mt_status* (*mt_node_hook_fn)(void* user, mt_tensor* const* grads, int64_t n, mt_tensor* const* incoming, int64_t n_incoming,
                                      mt_tensor** replacement, int32_t* replaced);
MT_API mt_status* mt_node_add_hook(mt_node* node, int32_t pre, mt_node_hook_fn hook, void* user, void (*destroy)(void* user), int64_t* id);
MT_API mt_status* mt_node_remove_hook(mt_node* node, int64_t id);  /* does nothing if already removed */
/* Foreign data of a node (Python's metadata dict); at most one per node, which owns it. */
MT_API mt_status* mt_node_set_metadata(mt_node* node, void* data, void (*destroy)(void* data));
MT_API mt_status* mt_node_metadata_borrow(const mt_node* node, void** out);
MT_API mt_status* mt_node_binding_set(mt_node* node, int64_t id, void* object, const mt_binding_vtable* vtable);
MT_API mt_status* mt_node_binding_get(const mt_node* node, int64_t id, void** object, int32_t* owned);
MT_API mt_status* mt_node_binding_own(mt_node* node, int64_t id, int32_t owned);
MT_API mt_status* mt_node_traverse(const mt_node* node, int32_t (*visit)(void* user, void* argument), void* argument, int32_t* result);

/* ---- custom functions ----------------------------------------------------------------------------------------------------------- */

typedef struct mt_function_vtable {
  size_t struct_size;
  /* Computes n_out gradients (one per edge; NULL: none) from n incoming ones (NULL: undefined). Results are owned. */
  mt_status* (*apply)(void* user, mt_node* node, mt_tensor* const* grads, int64_t n, mt_tensor** out, int64_t n_out);
  /* Frees saved values, after a pass that does not keep the graph. */
  void (*release_saved)(void* user);
  /* Runs once, when the node is freed. */
  void (*destroy)(void* user);
  /* Calls visit for each foreign object that the function references. */
  int32_t (*traverse)(void* user, int32_t (*visit)(void* user, void* argument), void* argument);
} mt_function_vtable;

/* A node with edges to the given inputs (entries NULL for arguments that are not tensors). *needed is 1 if grad mode is on and any
 * of them requires grad. */
MT_API mt_status* mt_node_create(const char* name, const mt_function_vtable* vtable, void* user, mt_tensor* const* inputs, int64_t n,
                                 mt_node** out, int32_t* needed);
/*
 * Connects a custom function's outputs to its node, by torch's rules for outputs that are inputs, in-place outputs (MT_OUTPUT_DIRTY, for
 * mark_dirty), views and non-differentiable outputs. outputs[i] is replaced by an owned handle (perhaps the same).
 */
enum { MT_OUTPUT_DIRTY = 1, MT_OUTPUT_NON_DIFFERENTIABLE = 2 };
MT_API mt_status* mt_node_wrap_outputs(mt_node* node, int32_t needed, mt_tensor* const* inputs, int64_t n_inputs, mt_tensor** outputs,
                                       const int32_t* output_flags, int64_t n_outputs);
/* Zeros with the shape, dtype and device of the node's input `index` (a result of the forward operation), to replace an undefined
 * gradient. */
MT_API mt_status* mt_node_input_zeros(const mt_node* node, int64_t index, mt_tensor** out);

/* A saved tensor: checks the version when unpacked, runs saved-tensor hooks, and makes no reference cycle for outputs. */
typedef struct mt_saved mt_saved;
MT_API mt_status* mt_saved_create(mt_tensor* tensor, int32_t is_output, mt_saved** out);  /* is_output: a result of the node itself */
/* node: the node that saved it (outputs get it as their grad_fn). Fails with torch's texts if freed or modified in place. */
MT_API mt_status* mt_saved_unpack(mt_saved* saved, mt_node* node, mt_tensor** out);
MT_API void mt_saved_release(mt_saved* saved);

/* Saved-tensor hooks, a stack per thread. pack converts a tensor to an object; unpack converts it back (owned); destroy_packed frees
 * the object. */
typedef struct mt_saved_hooks {
  size_t struct_size;
  mt_status* (*pack)(void* user, mt_tensor* tensor, void** packed);
  mt_status* (*unpack)(void* user, void* packed, mt_tensor** out);
  void (*destroy_packed)(void* user, void* packed);
  void (*retain)(void* user);
  void (*release)(void* user);
} mt_saved_hooks;
MT_API mt_status* mt_saved_hooks_push(const mt_saved_hooks* hooks, void* user);
MT_API mt_status* mt_saved_hooks_pop(void);  /* the innermost pair */
/* The user pointer of the innermost pair; NULL without active hooks. */
MT_API mt_status* mt_saved_hooks_top_borrow(void** user);
/* message != NULL: pushing hooks fails with this text; NULL allows them again. *old is the previous message (owned by the library until the
 * next call). */
MT_API mt_status* mt_saved_hooks_disable(const char* message, const char** old);
/* Packs a saved value with its own hooks (Python's _raw_saved_*.register_hooks). */
MT_API mt_status* mt_node_saved_register_hooks(mt_node* node, int64_t index, const mt_saved_hooks* hooks, void* user);

/* A saved tensor's content, without running hooks: the tensor (owned), or the packed object with its hook's user (both borrowed). All
 * are NULL if nothing was saved or it was freed. IndexError if a node's value is not a tensor. */
MT_API mt_status* mt_node_saved_held(mt_node* node, int64_t index, mt_tensor** tensor, void** user, void** packed);
MT_API mt_status* mt_saved_held(mt_saved* saved, mt_tensor** tensor, void** user, void** packed);
MT_API mt_status* mt_saved_register_hooks(mt_saved* saved, const mt_saved_hooks* hooks, void* user);

/* In anomaly mode, called for each new node to record where it was created, and when its backward fails to report that. */
typedef struct mt_anomaly_hooks {
  size_t struct_size;
  void (*on_create)(void* user, mt_node* node, mt_node* parent);
  void (*on_error)(void* user, mt_node* node);
} mt_anomaly_hooks;
MT_API mt_status* mt_anomaly_hooks_set(const mt_anomaly_hooks* hooks, void* user);

#ifdef __cplusplus
}
#endif

#endif
