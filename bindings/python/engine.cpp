// _ImperativeEngine: starts backward passes from Python.
#include <vector>

#include "node.h"
#include "operators.h"
#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

// Recomputing a checkpoint is correct only if this pass and all enclosing ones go down to the leaves.
class CheckpointValidScope {
 public:
  static thread_local bool valid;
  explicit CheckpointValidScope(bool to_leaves) : before_(valid) { valid = before_ && to_leaves; }
  ~CheckpointValidScope() { valid = before_; }
  CheckpointValidScope(const CheckpointValidScope&) = delete;

 private:
  bool before_;
};
thread_local bool CheckpointValidScope::valid = true;

struct Edges {
  std::vector<mt_edge> edges;
  std::vector<mt_node*> owned;
  ~Edges() {
    for (mt_node* node : owned) mt_node_release(node);
  }
  // Adds a tensor's edge, or a GradientEdge (node, number). `retains`: gradients accumulate in the tensors, which must be able to hold
  // them.
  void add(PyObject* object, bool is_input, Py_ssize_t at, bool retains = false) {
    if (is_tensor(object)) {
      mt_edge edge{nullptr, 0};
      check(mt_tensor_gradient_edge(handle(object), &edge.node, &edge.nr));
      if (edge.node)
        owned.push_back(edge.node);
      else if (is_input)
        raise(PyExc_RuntimeError, retains ? "can't retain_grad on Tensor that has requires_grad=False"
                                          : "One of the differentiated Tensors does not require grad");
      else
        raise(PyExc_RuntimeError, "element %zd of tensors does not require grad and does not have a grad_fn", at);
      edges.push_back(edge);
      return;
    }
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) < 2) {
      raise(PyExc_TypeError, is_input ? "all inputs have to be Tensors or GradientEdges, but got %s" : "element 0 of tensors tuple is %s",
            Py_TYPE(object)->tp_name);
    }
    mt_edge edge{to_node(PyTuple_GET_ITEM(object, 0)), to_int64(PyTuple_GET_ITEM(object, 1))};
    if (!edge.node) raise(PyExc_RuntimeError, "the node of this GradientEdge is gone");
    edges.push_back(edge);
  }
};

bool is_unexecutable_output(PyObject* object) { return is_tensor(object) && !(info_of(object).flags & MT_TENSOR_REQUIRES_GRAD); }

PyObject* run_backward(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"tensors", "grad_tensors",      "keep_graph",      "create_graph",
                                  "inputs",  "allow_unreachable", "accumulate_grad", nullptr};
    PyObject *tensors, *grads, *inputs = nullptr;
    int keep_graph, create_graph, allow_unreachable = 0, accumulate = 0;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "OOpp|Opp", const_cast<char**>(names), &tensors, &grads, &keep_graph, &create_graph,
                                       &inputs, &allow_unreachable, &accumulate));
    if (!PyTuple_Check(tensors))
      raise(PyExc_TypeError, "tensors argument is expected to be a tuple, but got %s", Py_TYPE(tensors)->tp_name);
    if (!PyTuple_Check(grads))
      raise(PyExc_TypeError, "grad_tensors argument is expected to be a tuple, but got %s", Py_TYPE(grads)->tp_name);
    Py_ssize_t n = PyTuple_GET_SIZE(tensors);
    if (PyTuple_GET_SIZE(grads) != n) raise(PyExc_RuntimeError, "got %zd tensors and %zd gradients", n, PyTuple_GET_SIZE(grads));
    ensure_thread();
    Edges roots, targets;
    std::vector<mt_tensor*> gradients;
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* tensor = PyTuple_GET_ITEM(tensors, i);
      if (is_unexecutable_output(tensor)) {
        raise(PyExc_RuntimeError, "element %zd of tensors does not require grad and does not have a grad_fn", i);
      }
      roots.add(tensor, /*is_input=*/false, i);
      PyObject* grad = PyTuple_GET_ITEM(grads, i);
      if (grad == Py_None) {
        if (is_tensor(tensor))
          raise(PyExc_RuntimeError, "element %zd of gradients tuple is None, but the corresponding Tensor requires grad", i);
        gradients.push_back(nullptr);
      } else if (is_tensor(grad)) {
        gradients.push_back(handle(grad));
      } else {
        raise(PyExc_TypeError, "element %zd of gradients tuple is %s, but expected a Tensor or None", i, Py_TYPE(grad)->tp_name);
      }
    }
    Ref list;
    Py_ssize_t n_inputs = 0;
    if (inputs && inputs != Py_None) {
      list = own(PySequence_Tuple(inputs));
      n_inputs = PyTuple_GET_SIZE(list.get());
      for (Py_ssize_t i = 0; i < n_inputs; ++i) {
        PyObject* input = PyTuple_GET_ITEM(list.get(), i);
        if (accumulate && is_tensor(input)) {
          mt_tensor_info info = info_of(input);
          if (!(info.flags & MT_TENSOR_IS_LEAF)) check(mt_tensor_retain_grad(handle(input)));
        }
        targets.add(input, /*is_input=*/true, i, accumulate != 0);
      }
    }
    std::vector<mt_tensor*> out(static_cast<size_t>(n_inputs), nullptr);
    mt_status* status;
    {
      CheckpointValidScope checkpoint(n_inputs == 0);
      NoGil unlocked;
      status = mt_autograd_run(roots.edges.data(), gradients.data(), n, targets.edges.data(), n_inputs, keep_graph, create_graph,
                               accumulate || n_inputs == 0, allow_unreachable, out.data());
    }
    check(status);
    if (n_inputs == 0 || accumulate) return incref(Py_None);
    Ref result = own(PyTuple_New(n_inputs));
    for (Py_ssize_t i = 0; i < n_inputs; ++i) PyTuple_SET_ITEM(result.get(), i, wrap_or_none(out[static_cast<size_t>(i)]));
    return result.release();
  });
}

mt_status* run_callback(void* user) {
  return callback([&] { own(PyObject_CallNoArgs(static_cast<PyObject*>(user))); });
}
PyObject* queue_callback(PyObject*, PyObject* function) {
  return guarded([&] {
    hold_foreign(function);
    mt_status* status = mt_autograd_queue_callback(run_callback, function, drop_foreign);
    if (status) drop_foreign(function);
    check(status);
    return incref(Py_None);
  });
}
PyObject* is_checkpoint_valid(PyObject*, PyObject*) { return PyBool_FromLong(CheckpointValidScope::valid); }

PyMethodDef methods[] = {{"run_backward", keywords(run_backward), METH_VARARGS | METH_KEYWORDS, nullptr},
                         {"queue_callback", queue_callback, METH_O, nullptr},
                         {"is_checkpoint_valid", is_checkpoint_valid, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, nullptr}};
PyType_Spec spec = {"torch._C._ImperativeEngine", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

void init_engine(PyObject* module) {
  PyTypeObject* type = make_type(&spec);
  add_object(module, "_ImperativeEngine", reinterpret_cast<PyObject*>(type));
}

}  // namespace mt::py
