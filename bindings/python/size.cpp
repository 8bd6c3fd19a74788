// torch.Size: a tuple of ints (or SymInts of nested tensors); slicing, addition and repetition return a torch.Size.
#include "tensor.h"
#include "types.h"

namespace mt::py {

PyTypeObject* size_type = nullptr;

namespace {

binaryfunc tuple_concat() { return PyTuple_Type.tp_as_sequence->sq_concat; }

PyObject* wrap_tuple_as_size(PyObject* result) {
  if (!result || Py_TYPE(result) == size_type || !PyTuple_Check(result)) return result;
  Ref tuple(result);
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(size_type), result);
}

// Whether a size is a SymInt for the irregular sizes of a nested tensor, which has no number.
bool is_nested_int(PyObject* item) {
  Ref node(PyLong_Check(item) ? nullptr : PyObject_GetAttrString(item, "node"));
  Ref answer(node ? PyObject_CallMethod(node.get(), "is_nested_int", nullptr) : nullptr);
  PyErr_Clear();
  return answer.get() == Py_True;
}

PyObject* create_size(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    Ref self = own(PyTuple_Type.tp_new(type, args, kwargs));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self.get()); ++i) {
      PyObject* item = PyTuple_GET_ITEM(self.get(), i);
      if (PyLong_CheckExact(item) || is_nested_int(item)) continue;
      Ref index(PyLong_Check(item) ? PyLong_FromLongLong(to_int64(item)) : PyNumber_Index(item));
      if (!index) {
        PyErr_Clear();
        raise(PyExc_TypeError, "torch.Size() takes an iterable of 'int' (item %zd is '%s')", i, Py_TYPE(item)->tp_name);
      }
      Py_DECREF(item);
      PyTuple_SET_ITEM(self.get(), i, index.release());
    }
    return self.release();
  });
}

PyObject* repr(PyObject* self) {
  std::string text = "torch.Size([";
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    if (i) text += ", ";
    Ref item(PyObject_Repr(PyTuple_GET_ITEM(self, i)));
    const char* utf8 = item ? PyUnicode_AsUTF8(item.get()) : nullptr;
    if (!utf8) return nullptr;
    text += utf8;
  }
  return PyUnicode_FromString((text + "])").c_str());
}

PyObject* concat_sizes(PyObject* a, PyObject* b) {
  if (!PyTuple_Check(b)) {
    return PyErr_Format(PyExc_TypeError, "can only concatenate tuple (not %.200s) to torch.Size", Py_TYPE(b)->tp_name);
  }
  return wrap_tuple_as_size(tuple_concat()(a, b));
}
// Called for both `size + tuple` and `tuple + size`.
PyObject* add_sizes(PyObject* a, PyObject* b) {
  if (PyTuple_Check(a) && PyTuple_Check(b)) return wrap_tuple_as_size(tuple_concat()(a, b));
  if (PyTuple_Check(a)) return concat_sizes(a, b);
  Py_RETURN_NOTIMPLEMENTED;
}
PyObject* repeat_size(PyObject* a, PyObject* b) {
  PyObject* tuple = PyTuple_Check(a) ? a : b;
  PyObject* count = tuple == a ? b : a;
  if (!PyIndex_Check(count)) Py_RETURN_NOTIMPLEMENTED;
  Py_ssize_t n = PyNumber_AsSsize_t(count, PyExc_OverflowError);
  if (n == -1 && PyErr_Occurred()) return nullptr;
  return wrap_tuple_as_size(PyTuple_Type.tp_as_sequence->sq_repeat(tuple, n));
}
PyObject* subscript(PyObject* self, PyObject* item) { return wrap_tuple_as_size(PyTuple_Type.tp_as_mapping->mp_subscript(self, item)); }

PyObject* numel(PyObject* self, PyObject*) {
  return guarded([&] {
    int64_t product = 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) product *= to_int64(PyTuple_GET_ITEM(self, i));
    return PyLong_FromLongLong(product);
  });
}
PyObject* reduce(PyObject* self, PyObject*) {
  Ref items(PySequence_Tuple(self));
  Ref plain(PyTuple_New(PyTuple_GET_SIZE(self)));
  if (!items || !plain) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    PyTuple_SET_ITEM(plain.get(), i, incref(PyTuple_GET_ITEM(self, i)));
  }
  return Py_BuildValue("O(O)", size_type, plain.get());
}

PyMethodDef methods[] = {{"numel", numel, METH_NOARGS, "The product of the sizes."},
                         {"__reduce__", reduce, METH_NOARGS, "What pickle saves."},
                         {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>(R"(A shape: a tuple of ints that stays one when sliced, added to or repeated.

Args:
    iterable (iterable of ints, optional): the sizes. Default: none.

Example:
    >>> torch.Size([2, 3])[:1] + (4,)
    torch.Size([2, 4]))")},
                       {Py_tp_base, &PyTuple_Type},
                       {Py_tp_new, reinterpret_cast<void*>(create_size)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_nb_add, reinterpret_cast<void*>(add_sizes)},
                       {Py_nb_multiply, reinterpret_cast<void*>(repeat_size)},
                       {Py_mp_subscript, reinterpret_cast<void*>(subscript)},
                       {Py_sq_concat, reinterpret_cast<void*>(concat_sizes)},
                       {Py_tp_methods, methods},
                       {0, nullptr}};
PyType_Spec spec = {"torch.Size", 0, 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

PyObject* size_object(std::span<const int64_t> sizes) {
  // Allocates directly: tp_new would check again that the elements are ints.
  PyObject* self = size_type->tp_alloc(size_type, static_cast<Py_ssize_t>(sizes.size()));
  if (!self) return nullptr;
  for (size_t i = 0; i < sizes.size(); ++i) {
    PyObject* item = PyLong_FromLongLong(sizes[i]);
    if (!item) {
      Py_DECREF(self);
      return nullptr;
    }
    PyTuple_SET_ITEM(self, static_cast<Py_ssize_t>(i), item);
  }
  return self;
}

void init_size(PyObject* module) {
  size_type = make_type(&spec, &PyTuple_Type);
  add_object(module, "Size", reinterpret_cast<PyObject*>(size_type));
}

}  // namespace mt::py
