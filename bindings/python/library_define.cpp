// The base of torch.library: operators defined by a schema, and Python functions as kernels.
#include <mindtorch/library.h>

#include <algorithm>
#include <string>

#include "operators.h"
#include "python_call.h"
#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

constexpr uint64_t autograd_key = uint64_t{1} << MT_KEY_AUTOGRAD;

mt_status* call_python_kernel(void* user, const mt_op* op, uint64_t, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  return callback([&] {
    PythonCall c = make_call(op, args, n);
    Ref result = own(PyObject_Call(static_cast<PyObject*>(user), c.args.get(), c.kwargs.get()));
    convert_results(op, result.get(), info_of(op).name, rets, n_rets);
  });
}

bool requires_grad(const mt_value& value) {
  auto asks = [](mt_tensor* tensor) { return tensor && info_of(tensor).flags & MT_TENSOR_REQUIRES_GRAD; };
  if (value.tag == MT_TAG_TENSOR) return asks(value.as.tensor);
  if (value.tag != MT_TAG_TENSORS && value.tag != MT_TAG_OPTIONAL_TENSORS) return false;
  auto* items = static_cast<mt_tensor* const*>(value.as.list.data);
  return std::any_of(items, items + value.as.list.size, asks);
}

// For an operator without an Autograd kernel: the calls of its kernel are recorded, and a backward pass through a result warns.
mt_status* autograd_fallthrough(void*, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  int64_t written = 0;
  if (mt_status* status = mt_op_redispatch(op, keys & (autograd_key - 1), args, n, rets, n_rets, &written)) return status;
  return callback([&] {
    mt_op_info info = info_of(op);
    if (info.traits & MT_OP_COMPOSITE || !std::any_of(args, args + n, requires_grad)) return;
    Ref results = own(PyList_New(0)), warn = import_from_root("library", "_warn_on_backward");
    for (int64_t i = 0; i < written; ++i) {
      mt_value borrowed = rets[i];
      borrowed.flags &= ~MT_FLAG_OWNED;
      Ref result = own(to_python(borrowed));
      expect_zero(PyList_Append(results.get(), result.get()));
    }
    PythonCall c = make_call(op, args, n);
    std::string name = std::string(info.ns) + "::" + info.name + (*info.overload ? std::string(".") + info.overload : "");
    own(PyObject_CallFunction(warn.get(), "sOOO", name.c_str(), results.get(), c.args.get(), c.kwargs.get()));
  });
}

// As call_python_kernel, for a function that also takes the call's keys, as a bit mask before its arguments.
mt_status* python_kernel_with_keys(void* user, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets,
                                   int64_t n_rets) {
  return callback([&] {
    PythonCall c = make_call(op, args, n);
    Ref first = own(Py_BuildValue("(K)", static_cast<unsigned long long>(keys))), all = own(PySequence_Concat(first.get(), c.args.get()));
    Ref result = own(PyObject_Call(static_cast<PyObject*>(user), all.get(), c.kwargs.get()));
    convert_results(op, result.get(), info_of(op).name, rets, n_rets);
  });
}

// A fallback: gets the operator before its arguments and, with `Keys`, the keys before everything else.
template <bool Keys>
mt_status* call_python_fallback(void* user, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets,
                                int64_t n_rets) {
  return callback([&] {
    PythonCall c = make_call(op, args, n);
    Ref first = own(Keys ? Py_BuildValue("(KO)", static_cast<unsigned long long>(keys), c.function.get())
                         : PyTuple_Pack(1, c.function.get()));
    Ref all = own(PySequence_Concat(first.get(), c.args.get()));
    Ref result = own(PyObject_Call(static_cast<PyObject*>(user), all.get(), c.kwargs.get()));
    convert_results(op, result.get(), info_of(op).name, rets, n_rets);
  });
}

const mt_op* find_operator(const char* name, const char* overload) {
  const mt_op* op = nullptr;
  check(mt_op_find(name, overload, &op));
  return op;
}

PyObject* define_operator(PyObject*, PyObject* schema) {
  return guarded([&] {
    const char* text = PyUnicode_AsUTF8(schema);
    expect(text != nullptr);
    const mt_op* op = nullptr;
    check(mt_op_define(text, &op));
    check(mt_op_register_kernel(op, MT_KEY_AUTOGRAD, autograd_fallthrough, nullptr, nullptr));
    return incref(Py_None);
  });
}

// Called with (name, overload): the name becomes free for another schema. Objects of the operator remain, without kernels.
PyObject* undefine_operator(PyObject*, PyObject* args) {
  return guarded([&] {
    const char *name, *overload;
    expect(PyArg_ParseTuple(args, "ss", &name, &overload));
    check(mt_op_undefine(find_operator(name, overload)));
    return incref(Py_None);
  });
}

// Called with (name, overload, key, function or None to remove it, whether it takes the keys): the key is the dispatcher's number;
// MT_KEY_COMPOSITE registers a composite body for every key.
PyObject* register_kernel(PyObject*, PyObject* args) {
  return guarded([&] {
    const char *name, *overload;
    int key, with_keys = 0;
    PyObject* function;
    expect(PyArg_ParseTuple(args, "ssiO|p", &name, &overload, &key, &function, &with_keys));
    const mt_op* op = find_operator(name, overload);
    if (function == Py_None) {
      check(mt_op_register_kernel(op, key, nullptr, nullptr, nullptr));
      return incref(Py_None);
    }
    mt_status* status = mt_op_register_kernel(op, key, with_keys ? python_kernel_with_keys : call_python_kernel, hold_foreign(function),
                                              drop_foreign);
    if (status) drop_foreign(function);
    check(status);
    return incref(Py_None);
  });
}

// Called with (key, function or None to remove the fallback, whether the function takes the keys).
PyObject* register_fallback(PyObject*, PyObject* args) {
  return guarded([&] {
    int key, with_keys = 0;
    PyObject* function;
    expect(PyArg_ParseTuple(args, "iO|p", &key, &function, &with_keys));
    if (function == Py_None) {
      check(mt_fallback_register(key, nullptr, nullptr, nullptr));
      return incref(Py_None);
    }
    mt_status* status = mt_fallback_register(key, with_keys ? call_python_fallback<true> : call_python_fallback<false>,
                                             hold_foreign(function), drop_foreign);
    if (status) drop_foreign(function);
    check(status);
    return incref(Py_None);
  });
}

// Called with (name, overload, note): returns the text that a library stored with the operator under the name `note`, or None.
PyObject* get_operator_note(PyObject*, PyObject* args) {
  return guarded([&] {
    const char *name, *overload, *which;
    expect(PyArg_ParseTuple(args, "sss", &name, &overload, &which));
    Results text;
    check(mt_op_note(find_operator(name, overload), which, &text.values[0]));
    text.n = 1;
    const mt_value& value = text.values[0];
    return value.tag == MT_TAG_STRING ? PyUnicode_FromStringAndSize(value.as.string.data, value.as.string.size) : incref(Py_None);
  });
}

// Called with (name, overload, key): returns whether there is a kernel; for MT_KEY_COMPOSITE, a composite body.
PyObject* has_kernel(PyObject*, PyObject* args) {
  return guarded([&] {
    const char *name, *overload;
    int key;
    expect(PyArg_ParseTuple(args, "ssi", &name, &overload, &key));
    const mt_op* op = find_operator(name, overload);
    if (key == MT_KEY_COMPOSITE) return PyBool_FromLong((info_of(op).traits & MT_OP_COMPOSITE) != 0);
    int32_t has = 0;
    check(mt_op_has_kernel(op, key, &has));
    return PyBool_FromLong(has);
  });
}

// The thread's included and excluded keys, as bit masks.
PyObject* get_thread_keys(PyObject*, PyObject*) {
  return guarded([&] {
    uint64_t included = 0, excluded = 0;
    check(mt_dispatch_keys_get(&included, &excluded));
    return Py_BuildValue("(KK)", static_cast<unsigned long long>(included), static_cast<unsigned long long>(excluded));
  });
}
PyObject* set_thread_keys(PyObject*, PyObject* args) {
  return guarded([&] {
    unsigned long long included, excluded;
    expect(PyArg_ParseTuple(args, "KK", &included, &excluded));
    check(mt_dispatch_keys_set(included, excluded));
    return incref(Py_None);
  });
}

PyMethodDef functions[] = {{"_mt_library_define", define_operator, METH_O, nullptr},
                           {"_mt_library_undefine", undefine_operator, METH_VARARGS, nullptr},
                           {"_mt_library_impl", register_kernel, METH_VARARGS, nullptr},
                           {"_mt_fallback", register_fallback, METH_VARARGS, nullptr},
                           {"_mt_has_kernel", has_kernel, METH_VARARGS, nullptr},
                           {"_mt_op_note", get_operator_note, METH_VARARGS, nullptr},
                           {"_mt_thread_keys", get_thread_keys, METH_NOARGS, nullptr},
                           {"_mt_set_thread_keys", set_thread_keys, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_library_define(PyObject* module) { expect_zero(PyModule_AddFunctions(module, functions)); }

}  // namespace mt::py
