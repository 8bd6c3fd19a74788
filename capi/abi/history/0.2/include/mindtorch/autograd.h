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
  MT_MODE_INFERENCE = 1, /* new tensors are inference tensors; setting it switches MT_MODE_GRAD and MT_MODE_FORWARD_GRAD the other way */
  MT_MODE_ANOMALY = 2,   /* forward tracebacks are kept, errors name them */
  MT_MODE_ANOMALY_CHECK_NAN = 3,
  MT_MODE_MULTITHREADING = 4,
  MT_MODE_FORWARD_GRAD = 5,
  MT_MODE_VIEW_REPLAY = 6
};
MT_API mt_status* mt_mode_get(int32_t mode, int32_t* out);  /* a mode that is none of these: ValueError */
MT_API mt_status* mt_mode_set(int32_t mode, int32_t on);  /* for calls from now on */

/* ---- a tensor's side ------------------------------------------------------------------------------------------------------ */

/* Fails with torch's texts for integer dtypes and for non-leaf tensors (off). */
MT_API mt_status* mt_tensor_set_requires_grad(mt_tensor* tensor, int32_t on);
/* The accumulated gradient, NULL in *out where there is none. */
MT_API mt_status* mt_tensor_grad(const mt_tensor* tensor, mt_tensor** out);
/* Sets (or with NULL clears) the gradient, without the checks of dtype, device and shape that a language's property makes. */
MT_API mt_status* mt_tensor_set_grad(mt_tensor* tensor, mt_tensor* grad);
/* The dtype that gradients take: -1 where it was not set (the tensor's own), -2 for any. */
MT_API mt_status* mt_tensor_grad_dtype(const mt_tensor* tensor, int32_t* out);
MT_API mt_status* mt_tensor_set_grad_dtype(mt_tensor* tensor, int32_t dtype);
/* The node that computes the gradient; NULL in *out for leaves. Regenerates the node of a view whose base was written in place. */
MT_API mt_status* mt_tensor_grad_fn(mt_tensor* tensor, mt_node** out);
/* The node that gathers the gradient: grad_fn, or a leaf's AccumulateGrad (made when needed); NULL where no gradient is required. */
MT_API mt_status* mt_tensor_gradient_edge(mt_tensor* tensor, mt_node** out, int64_t* output_nr);
MT_API mt_status* mt_tensor_retain_grad(mt_tensor* tensor);
MT_API mt_status* mt_tensor_output_nr(const mt_tensor* tensor, int64_t* out);
/* The base of a differentiable view, NULL for tensors that are not views. */
MT_API mt_status* mt_tensor_base(const mt_tensor* tensor, mt_tensor** out);
/* Makes a tensor a leaf of its own in place (detach_). */
MT_API mt_status* mt_tensor_detach_inplace(mt_tensor* tensor);

/* A hook on a tensor's gradient: gets it (never NULL) and may give another in *replacement (owned). */
typedef mt_status* (*mt_tensor_hook_fn)(void* user, mt_tensor* grad, mt_tensor** replacement);
/* `destroy(user)` runs once, when the hook is removed or the tensor dies. *id names it for removal. */
MT_API mt_status* mt_tensor_add_hook(mt_tensor* tensor, mt_tensor_hook_fn hook, void* user, void (*destroy)(void* user), int64_t* id);
/* Removes any kind of hook that was put on this tensor; unknown ids do nothing. */
MT_API mt_status* mt_tensor_remove_hook(mt_tensor* tensor, int64_t id);
/* Called with a leaf after its gradient was accumulated. */
typedef mt_status* (*mt_accumulate_hook_fn)(void* user, mt_tensor* leaf);
MT_API mt_status* mt_tensor_add_accumulate_hook(mt_tensor* tensor, mt_accumulate_hook_fn hook, void* user, void (*destroy)(void* user),
                                                int64_t* id);

/* ---- forward mode ---------------------------------------------------------------------------------------------------------- */

/* Opens a level for tangents (aten::_make_dual, aten::_unpack_dual); levels nest and are the process's. Any thread may call it. */
MT_API mt_status* mt_dual_level_enter(int64_t* level);
/* Closes the level opened last, and drops its tangents from all tensors; fails for any other level. */
MT_API mt_status* mt_dual_level_exit(int64_t level);

/* ---- the engine -------------------------------------------------------------------------------------------------------------- */

/* Accumulates gradients of `n` roots into the leaves (into `inputs` only, where n_inputs > 0). grads: one per root, NULL entries
 * (or NULL altogether) for an implicit one of a single-element root. Runs on the caller's thread; may be called from hooks. */
MT_API mt_status* mt_autograd_backward(mt_tensor* const* roots, mt_tensor* const* grads, int64_t n, int32_t retain_graph,
                                       int32_t create_graph, mt_tensor* const* inputs, int64_t n_inputs);
/* Gradients of the roots with respect to `inputs`, without touching any .grad. out[i] is owned, NULL for an unused input where
 * allow_unused. */
MT_API mt_status* mt_autograd_grad(mt_tensor* const* roots, mt_tensor* const* grads, int64_t n, mt_tensor* const* inputs, int64_t n_inputs,
                                   int32_t retain_graph, int32_t create_graph, int32_t allow_unused, mt_tensor** out);

/* The general form: roots and inputs as edges (node, output or input number). accumulate: into leaves; otherwise into out. */
typedef struct mt_edge {
  mt_node* node;
  int64_t nr;
} mt_edge;
MT_API mt_status* mt_autograd_run(const mt_edge* roots, mt_tensor* const* grads, int64_t n, const mt_edge* inputs, int64_t n_inputs,
                                  int32_t retain_graph, int32_t create_graph, int32_t accumulate, int32_t allow_unused, mt_tensor** out);
/* Runs `callback` once at the end of the backward pass that is running on this thread (RuntimeError outside of one). */
MT_API mt_status* mt_autograd_queue_callback(mt_status* (*callback)(void* user), void* user, void (*destroy)(void* user));
/* The node whose gradient is being computed on this thread, NULL in *out outside. */
MT_API mt_status* mt_autograd_current_node(mt_node** out);
/* A number that is the same during one backward pass, -1 outside; and whether the pass keeps the graph. */
MT_API int64_t mt_autograd_graph_task_id(void);
MT_API mt_status* mt_autograd_will_execute(mt_node* node, int32_t* out);

/* ---- nodes -------------------------------------------------------------------------------------------------------------------- */

MT_API void mt_node_retain(mt_node* node);  /* one owner more: results and later nodes own it too */
MT_API void mt_node_release(mt_node* node);  /* one less; the last frees what it saved */
MT_API mt_status* mt_node_use_count(const mt_node* node, int64_t* out);  /* owners, the caller included */
/* "AddBackward0"; owned by the node. */
MT_API mt_status* mt_node_name_borrow(const mt_node* node, const char** out);
MT_API mt_status* mt_node_sequence_nr(const mt_node* node, int64_t* out);
MT_API mt_status* mt_node_input_count(const mt_node* node, int64_t* out); /* number of the forward operation's results */
MT_API mt_status* mt_node_edge_count(const mt_node* node, int64_t* out);  /* number of next_functions */
/* next_functions[index]: *out NULL where the forward argument needs no gradient. */
MT_API mt_status* mt_node_edge(const mt_node* node, int64_t index, mt_node** out, int64_t* nr);
MT_API mt_status* mt_node_set_sequence_nr(mt_node* node, int64_t nr);
/* Runs a node by itself, without its hooks: one gradient per forward result comes in (NULL: undefined), one per edge goes out, owned (NULL:
 * none). */
MT_API mt_status* mt_node_apply(mt_node* node, mt_tensor* const* grads, int64_t n, mt_tensor** out, int64_t n_out);
/* The leaf of an AccumulateGrad node, NULL in *out for others. */
MT_API mt_status* mt_node_variable(const mt_node* node, mt_tensor** out);
/* What a node saved, by index: names such as "self", "result", "dim" (Python's _saved_*). The value is owned; `out` may be NULL: a name
 * alone outlives its value, which is freed after a backward pass. */
MT_API mt_status* mt_node_saved_count(const mt_node* node, int64_t* out);
MT_API mt_status* mt_node_saved(const mt_node* node, int64_t index, const char** name, mt_value* out);
/* Hooks: `pre` gets the incoming gradients before the node runs; `post` gets (gradients given, incoming gradients) afterwards. Entries are
 * NULL where undefined. A hook replaces gradients by writing owned tensors into `replacement` (all NULL beforehand) and *replaced = 1. */
typedef mt_status* (*mt_node_hook_fn)(void* user, mt_tensor* const* grads, int64_t n, mt_tensor* const* incoming, int64_t n_incoming,
                                      mt_tensor** replacement, int32_t* replaced);
MT_API mt_status* mt_node_add_hook(mt_node* node, int32_t pre, mt_node_hook_fn hook, void* user, void (*destroy)(void* user), int64_t* id);
MT_API mt_status* mt_node_remove_hook(mt_node* node, int64_t id);  /* nothing where it is gone already */
/* Foreign note on a node (Python's metadata dict); one per node, owned by it. */
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
  /* Frees what was saved, after a pass that does not keep the graph. */
  void (*release_saved)(void* user);
  /* The node dies. Runs once. */
  void (*destroy)(void* user);
  /* Calls visit for each foreign object that the function holds. */
  int32_t (*traverse)(void* user, int32_t (*visit)(void* user, void* argument), void* argument);
} mt_function_vtable;

/* A node whose edges lead to the given inputs (entries NULL for arguments that are not tensors). `*needed` is set where any of them
 * requires grad (and grad mode is on). */
MT_API mt_status* mt_node_create(const char* name, const mt_function_vtable* vtable, void* user, mt_tensor* const* inputs, int64_t n,
                                 mt_node** out, int32_t* needed);
/*
 * Ties a custom function's outputs to its node, with torch's rules for outputs that are inputs, for in-place (`dirty`: bit per output that
 * mark_dirty named), for views and for outputs marked non-differentiable. outputs[i] is replaced by an owned handle (perhaps the same).
 */
enum { MT_OUTPUT_DIRTY = 1, MT_OUTPUT_NON_DIFFERENTIABLE = 2 };
MT_API mt_status* mt_node_wrap_outputs(mt_node* node, int32_t needed, mt_tensor* const* inputs, int64_t n_inputs, mt_tensor** outputs,
                                       const int32_t* output_flags, int64_t n_outputs);
/* The shape, dtype and device of what the node's input `index` (forward result) was: a meta-like empty description, for zeros where a
 * gradient is undefined. */
MT_API mt_status* mt_node_input_zeros(const mt_node* node, int64_t index, mt_tensor** out);

/* A saved tensor: checks versions when unpacked, runs the saved-tensor hooks, makes no cycle for outputs. */
typedef struct mt_saved mt_saved;
MT_API mt_status* mt_saved_create(mt_tensor* tensor, int32_t is_output, mt_saved** out);  /* is_output: a result of the node's own */
/* node: the node that saved it (outputs get it as their grad_fn). Texts are torch's: freed, modified in place. */
MT_API mt_status* mt_saved_unpack(mt_saved* saved, mt_node* node, mt_tensor** out);
MT_API void mt_saved_release(mt_saved* saved);

/* Saved-tensor hooks of the calling thread, a stack. pack gets a tensor and gives an object; unpack gives a tensor back (owned); destroy
 * frees the object. */
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
/* The user pointer of the innermost pair, NULL where none is active. */
MT_API mt_status* mt_saved_hooks_top_borrow(void** user);
/* message != NULL: pushing hooks fails with it; NULL allows them again. The former message goes to *old (owned by the library until the
 * next call). */
MT_API mt_status* mt_saved_hooks_disable(const char* message, const char** old);
/* Packs a saved value by hooks of its own (Python's _raw_saved_*.register_hooks). */
MT_API mt_status* mt_node_saved_register_hooks(mt_node* node, int64_t index, const mt_saved_hooks* hooks, void* user);

/* What a saved tensor holds, no hook being run: the tensor (owned), or what a hook made of it with that hook's user (both borrowed). All
 * are NULL where nothing was saved or it is freed. IndexError where a node's value is no tensor. */
MT_API mt_status* mt_node_saved_held(mt_node* node, int64_t index, mt_tensor** tensor, void** user, void** packed);
MT_API mt_status* mt_saved_held(mt_saved* saved, mt_tensor** tensor, void** user, void** packed);
MT_API mt_status* mt_saved_register_hooks(mt_saved* saved, const mt_saved_hooks* hooks, void* user);

/* Called for each new node when anomaly mode is on, and when its backward fails, to keep and report where it was made. */
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
