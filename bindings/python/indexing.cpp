// tensor[index]: ints, slices, None and Ellipsis make views; everything else is passed to the operator index.
#include "indexing.h"

#include "methods.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {

bool is_index_int(PyObject* o) { return is_int(o) || (!is_tensor(o) && is_index(o)); }

Handle select(mt_tensor* tensor, int64_t dim, int64_t index, int64_t place) {
  static const mt_op* op = find_op("select", "int");
  mt_tensor_info info = info_of(tensor);
  if (dim == 0 && info.ndim == 0) {
    raise(PyExc_IndexError,
          "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
          "tensor to a number");
  }
  int64_t size = info.sizes[dim];
  if (index < -size || index >= size) {
    raise(PyExc_IndexError, "index %lld is out of bounds for dimension %lld with size %lld", static_cast<long long>(index),
          static_cast<long long>(place), static_cast<long long>(size));
  }
  mt_value args[3] = {tensor_value(tensor), int_value(dim), int_value(index)};
  return call_for_tensor(op, args, 3);
}

Handle slice(mt_tensor* tensor, int64_t dim, PyObject* range) {
  static const mt_op* op = find_op("slice", "Tensor");
  Py_ssize_t start, stop, step;
  expect_zero(PySlice_Unpack(range, &start, &stop, &step));
  if (step < 1) raise(PyExc_ValueError, "step must be greater than zero");
  if (info_of(tensor).ndim == 0) raise(PyExc_IndexError, "slice() cannot be applied to a 0-dim tensor.");
  mt_value args[5] = {tensor_value(tensor), int_value(dim), int_value(start), int_value(stop), int_value(step)};
  return call_for_tensor(op, args, 5);
}

Handle unsqueeze(mt_tensor* tensor, int64_t dim) {
  static const mt_op* op = find_op("unsqueeze", "");
  mt_value args[2] = {tensor_value(tensor), int_value(dim)};
  return call_for_tensor(op, args, 2);
}

namespace {

// Whether a sequence counts as a tuple of indices, as in t[[0, slice(None)]].
bool is_tuple_like(PyObject* index) {
  if (PyTuple_Check(index)) return true;
  if (is_tensor(index) || !PySequence_Check(index)) return false;
  if (is_numpy_array(index)) return false;
  Py_ssize_t n = PySequence_Size(index);
  if (n < 0) {
    PyErr_Clear();
    return false;
  }
  if (n >= 32) return false;
  for (Py_ssize_t i = 0; i < n; ++i) {
    Ref item(PySequence_GetItem(index, i));
    if (!item) {
      PyErr_Clear();
      return false;
    }
    PyObject* o = item.get();
    if (is_tensor(o) || PySequence_Check(o) || PySlice_Check(o) || o == Py_Ellipsis || o == Py_None) return true;
  }
  return false;
}

Ref to_tuple(PyObject* index) {
  if (PyTuple_Check(index)) return Ref::borrow(index);
  if (!is_tuple_like(index)) return own(PyTuple_Pack(1, index));
  warn(PyExc_UserWarning,
       "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
       "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], which "
       "will result either in an error or a different result");
  return own(PySequence_Tuple(index));
}

bool is_mask(int32_t dtype) { return dtype == MT_BOOL || dtype == MT_UINT8; }

int64_t count_specified_dims(PyObject* tuple) {
  int64_t count = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject* o = PyTuple_GET_ITEM(tuple, i);
    if (is_tensor(o)) {
      mt_tensor_info info = info_of(o);
      count += is_mask(info.dtype) ? info.ndim : 1;
    } else if (o != Py_None && o != Py_Ellipsis && !PyBool_Check(o)) {
      ++count;
    }
  }
  return count;
}

// True or False as an index: one element, or none, along a new dimension.
Handle bool_index(bool value, mt_device device) {
  int64_t zero = 0, n = value ? 1 : 0;
  Handle index;
  check(mt_tensor_from_copy(&zero, &n, 1, MT_INT64, index.out()));
  if (device.type == MT_CPU) return index;
  mt_value args[4] = {tensor_value(index.get()), none_value(), none_value(), device_value(device)};
  return call_for_tensor(find_op("_to_copy", ""), args, 4);
}

Handle sequence_index(PyObject* sequence) {
  // Empty sequences select nothing, and count as integers.
  Py_ssize_t n = PySequence_Size(sequence);
  if (n < 0) throw PythonError{};
  Handle given = tensor_from_data(sequence, n == 0 ? static_cast<int32_t>(MT_INT64) : -1, nullptr);
  if (is_mask(info_of(given.get()).dtype) || is_integral(info_of(given.get()).dtype, /*include_bool=*/true)) return given;
  return tensor_from_data(sequence, MT_INT64, nullptr);  // truncates other numbers
}

[[noreturn]] void raise_invalid(PyObject* o) {
  raise(PyExc_IndexError, "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got %s)",
        Py_TYPE(o)->tp_name);
}

void record_index_tensor(Sliced& s, Handle index, int64_t dim) {
  s.indices.resize(static_cast<size_t>(dim) + 1);
  s.indices.back() = std::move(index);
}

// With other indices, torch makes no view for a dimension that is taken completely.
bool selects_whole_dim(PyObject* range, int64_t size) {
  Py_ssize_t start, stop, step;
  expect_zero(PySlice_Unpack(range, &start, &stop, &step));
  return start == 0 && stop >= size && step == 1;
}

void replace_by_view(Sliced& s, Handle tensor) {
  s.tensor = std::move(tensor);
  s.is_self = false;
}

}  // namespace

Sliced apply_index(PyObject* self, PyObject* index) {
  Ref tuple = to_tuple(index);
  Sliced s;
  s.tensor = Handle::borrow(handle(self));
  mt_tensor_info whole = info_of(self);
  int64_t specified = count_specified_dims(tuple.get());
  if (specified > whole.ndim) {
    if (whole.ndim == 0 && is_index_int(index)) select(s.tensor.get(), 0, 0);
    if (whole.ndim == 0 && PySlice_Check(index)) slice(s.tensor.get(), 0, index);
    raise(PyExc_IndexError, "too many indices for tensor of dimension %lld", static_cast<long long>(whole.ndim));
  }
  int64_t ndim = whole.ndim, dim = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple.get()); ++i) {
    PyObject* o = PyTuple_GET_ITEM(tuple.get(), i);
    if (PySlice_Check(o)) {
      if (!selects_whole_dim(o, info_of(s.tensor.get()).sizes[dim])) replace_by_view(s, slice(s.tensor.get(), dim, o));
      ++dim;
    } else if (o == Py_Ellipsis) {
      dim += ndim - specified;
    } else if (o == Py_None) {
      replace_by_view(s, unsqueeze(s.tensor.get(), dim));
      ++dim;
    } else if (PyBool_Check(o)) {
      replace_by_view(s, unsqueeze(s.tensor.get(), dim));
      record_index_tensor(s, bool_index(o == Py_True, whole.device), dim);
      ++dim;
    } else if (is_index_int(o)) {
      replace_by_view(s, select(s.tensor.get(), dim, to_int64(o), i));
    } else if (is_tensor(o)) {
      mt_tensor_info info = info_of(o);
      if (info.ndim == 0 && is_integral(info.dtype, /*include_bool=*/true)) {
        int64_t value = to_int64(o);
        if (!is_mask(info.dtype)) {
          replace_by_view(s, select(s.tensor.get(), dim, value, i));
          continue;
        }
        replace_by_view(s, unsqueeze(s.tensor.get(), dim));
        record_index_tensor(s, bool_index(value != 0, whole.device), dim);
        ++dim;
        continue;
      }
      record_index_tensor(s, Handle::borrow(handle(o)), dim);
      ++dim;  // as in torch, a mask of several dimensions occupies one position
    } else if (PySequence_Check(o)) {
      Handle gathered = sequence_index(o);
      record_index_tensor(s, std::move(gathered), dim);
      ++dim;
    } else {
      raise_invalid(o);
    }
  }
  return s;
}

PyObject* get_item(PyObject* self, PyObject* index) {
  return guarded([&]() -> PyObject* {
    PyObject* values[1] = {index};
    if (PyObject* result = try_torch_function_arguments(self, "__getitem__", values, 1, nullptr, parts_of(index))) return result;
    mt_tensor* tensor = handle(self);
    if (PyLong_CheckExact(index)) return wrap(select(tensor, 0, to_int64(index)));
    if (PySlice_Check(index)) return wrap(slice(tensor, 0, index));
    Sliced s = apply_index(self, index);
    if (s.indices.empty()) {
      if (!s.is_self) return wrap(std::move(s.tensor));
      static const mt_op* alias = find_op("alias", "");
      mt_value args[1] = {tensor_value(tensor)};
      return wrap(call_for_tensor(alias, args, 1));
    }
    static const mt_op* op = find_op("index", "Tensor");
    std::vector<mt_tensor*> indices;
    for (auto& i : s.indices) indices.push_back(i.get());
    mt_value args[2] = {tensor_value(s.tensor.get()),
                        list_value(MT_TAG_OPTIONAL_TENSORS, indices.data(), static_cast<int64_t>(indices.size()))};
    return wrap(call_for_tensor(op, args, 2));
  });
}

}  // namespace mt::py
