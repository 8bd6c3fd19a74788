// Graph nodes in Python: grad_fn objects.
#pragma once
#include "tensor.h"

namespace mt::py {

struct NodeObject {
  PyObject_HEAD mt_node* node;
};

// The object of a node (an autograd Function's node is represented by its ctx), or None. Takes ownership of the handle; new reference.
PyObject* node_object(mt_node* owned);
inline PyObject* node_or_none(mt_node* owned) { return owned ? node_object(owned) : incref(Py_None); }
// The node of a grad_fn object or of a Function's ctx (borrowed); TypeError for others, NULL for a ctx without a node.
mt_node* to_node(PyObject* object);

// Raises torch's text for an invalid gradient from a hook; `before` may be None.
void check_hook_result(PyObject* hook, PyObject* before, PyObject* after);
std::string hook_name(PyObject* hook);
// Records and reports where nodes were made, from the first use of anomaly mode on.
void ensure_anomaly_hooks();

// Adapts a Python (pack, unpack) tuple to saved-tensor hooks (autograd_module.cpp).
const mt_saved_hooks& python_saved_hooks();
// The value that a node saved under a name (_saved_*), NULL without an error if there is none; `raw`: as a SavedTensor (_raw_saved_*).
PyObject* saved_attribute(PyObject* node_object, const char* name, bool raw);
// Appends "_saved_self", "_raw_saved_self", ... to a list.
void append_saved_names(mt_node* node, PyObject* list);
// All SavedTensors of a ctx.
PyObject* raw_saved_of_function(PyObject* ctx);
// The saved tensor of a ctx by index (borrowed), NULL if it was freed or is None.
mt_saved* saved_of_function(PyObject* ctx, int64_t index, bool* freed);
int64_t count_saved_of_function(PyObject* ctx);
void init_saved_tensor(PyObject* autograd_module);

// Methods and attributes that grad_fn objects and the ctx of an autograd Function have in common.
PyObject* node_next_functions(mt_node* node);
PyObject* node_register_hook(mt_node* node, PyObject* hook, bool pre);
PyObject* node_register_hook_dict(PyObject* unused, PyObject* tensor);  // a method of every node
PyObject* node_sequence_nr(mt_node* node);
PyObject* node_metadata(mt_node* node);
// For a custom function's ctx; defined in function.cpp.
mt_node* node_of_function(PyObject* ctx);
bool is_function(PyObject* object);

// The value of a batched tensor, if a transform inside its vmap may differentiate; otherwise nothing (functorch.cpp).
Handle differentiated_value(PyObject* tensor);

}  // namespace mt::py
