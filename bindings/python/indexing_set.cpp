// tensor[index] = value: copies into a view if the index makes one, otherwise calls index_put_.
#include "indexing.h"
#include "tensor_types.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

// Drops leading dimensions of size 1, which broadcasting does not need.
Handle drop_leading_ones(mt_tensor* tensor) {
  mt_tensor_info info = info_of(tensor);
  int64_t skip = 0;
  while (skip < info.ndim && info.sizes[skip] == 1) ++skip;
  if (skip == 0) return Handle::borrow(tensor);
  static const mt_op* view = find_op("view", "");
  mt_value args[2] = {tensor_value(tensor), list_value(MT_TAG_INTS, info.sizes + skip, info.ndim - skip)};
  return call_for_tensor(view, args, 2);
}

bool have_same_shape(const mt_tensor_info& a, const mt_tensor_info& b) {
  if (a.ndim != b.ndim) return false;
  for (int64_t i = 0; i < a.ndim; ++i) {
    if (a.sizes[i] != b.sizes[i]) return false;
  }
  return true;
}

void call_in_place(const mt_op* op, const mt_value* args, int64_t n) {
  Results results;
  call(op, args, n, results);
}

void fill_with_number(mt_tensor* target, PyObject* number) {
  mt_value args[2] = {tensor_value(target), to_number(number)};
  const int32_t dtype = info_of(target).dtype;
  if (dtype == MT_FLOAT16 || dtype == MT_BFLOAT16) {  // a number out of range becomes infinite here, where fill_ would refuse it
    static const mt_op* by_tensor = find_op("fill_", "Tensor");
    Handle value;
    check(mt_tensor_from_scalar(&args[1], MT_FLOAT32, /*wrapped=*/0, value.out()));
    mt_value filled[2] = {args[0], tensor_value(value.get())};
    return call_in_place(by_tensor, filled, 2);
  }
  static const mt_op* op = find_op("fill_", "Scalar");
  call_in_place(op, args, 2);
}

void copy_into(mt_tensor* target, mt_tensor* source) {
  mt_tensor_info to = info_of(target), from = info_of(source);
  if (from.ndim == 0 && from.device.type == MT_CPU && to.device.type != MT_META) {
    static const mt_op* op = find_op("fill_", "Tensor");
    mt_value args[2] = {tensor_value(target), tensor_value(source)};
    call_in_place(op, args, 2);
    return;
  }
  Handle value = Handle::borrow(source);
  if (!have_same_shape(to, from)) {
    static const mt_op* expand = find_op("expand", "");
    Handle narrow = drop_leading_ones(source);
    mt_value args[2] = {tensor_value(narrow.get()), list_value(MT_TAG_INTS, to.sizes, to.ndim)};
    value = call_for_tensor(expand, args, 2);
  }
  static const mt_op* op = find_op("copy_", "");
  mt_value args[2] = {tensor_value(target), tensor_value(value.get())};
  call_in_place(op, args, 2);
}

void write_value(mt_tensor* target, PyObject* value) {
  if (is_tensor(value))
    copy_into(target, handle(value));
  else
    fill_with_number(target, value);
}

void check_value(PyObject* self, PyObject* value) {
  if (is_tensor(value) || is_number(value)) return;
  mt_tensor_info info = info_of(self);
  raise(PyExc_TypeError, "can't assign a %s to a %s", Py_TYPE(value)->tp_name, legacy_type_name(info.dtype, info.device).c_str());
}

void index_put_value(Sliced& s, PyObject* value) {
  Handle source;
  mt_tensor_info info = info_of(s.tensor.get());
  if (is_tensor(value)) {
    source = drop_leading_ones(handle(value));
    mt_tensor_info given = info_of(source.get());
    if (given.device.type != info.device.type && given.ndim == 0) {
      mt_value args[4] = {tensor_value(source.get()), none_value(), none_value(), device_value(info.device)};
      source = call_for_tensor(find_op("_to_copy", ""), args, 4);
    }
  } else {
    mt_value number = to_number(value);
    check(mt_tensor_from_scalar(&number, info.dtype, /*wrapped=*/0, source.out()));
    if (info.device.type != MT_CPU) {
      mt_value args[4] = {tensor_value(source.get()), none_value(), none_value(), device_value(info.device)};
      source = call_for_tensor(find_op("_to_copy", ""), args, 4);
    }
  }
  std::vector<mt_tensor*> indices;
  for (auto& i : s.indices) indices.push_back(i.get());
  static const mt_op* op = find_op("index_put_", "");
  mt_value args[3] = {tensor_value(s.tensor.get()),
                      list_value(MT_TAG_OPTIONAL_TENSORS, indices.data(), static_cast<int64_t>(indices.size())),
                      tensor_value(source.get())};
  call_in_place(op, args, 3);
}

}  // namespace

int set_item(PyObject* self, PyObject* index, PyObject* value) {
  return guarded_int([&] {
    if (!value) raise(PyExc_TypeError, "Tensor does not support deleting items");
    PyObject* values[2] = {index, value};
    if (PyObject* result = try_torch_function_arguments(self, "__setitem__", values, 2, nullptr, parts_of(index))) {
      Py_DECREF(result);
      return 0;
    }
    if (info_of(self).layout != MT_STRIDED) raise(PyExc_TypeError, "Cannot assign to a sparse tensor");
    check_value(self, value);
    mt_tensor* tensor = handle(self);
    if (index == Py_False) return 0;
    if (index == Py_Ellipsis) {
      write_value(tensor, value);
    } else if (index == Py_None || index == Py_True) {
      write_value(unsqueeze(tensor, 0).get(), value);
    } else if (is_index_int(index)) {
      write_value(select(tensor, 0, to_int64(index)).get(), value);
    } else if (PySlice_Check(index)) {
      write_value(slice(tensor, 0, index).get(), value);
    } else {
      Sliced s = apply_index(self, index);
      if (s.indices.empty())
        write_value(s.tensor.get(), value);
      else
        index_put_value(s, value);
    }
    return 0;
  });
}

}  // namespace mt::py
