// Files of the library: _C._read_checkpoint reads those that contain only data, _C._write_archive writes torch.save's; _C._Dataset and
// _C._DatasetWriter are datasets in shards.
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

// Thrown if a file contains more than data, or is invalid: Python's own reader then reads it or reports the error.
struct NotPlain {};

void throw_unless_plain(mt_status* status) {
  if (!status) return;
  mt_status_release(status);
  throw NotPlain{};
}

constexpr int deepest = 200;

// Converts a checkpoint's items to Python objects. An item that occurs several times becomes one object.
class Builder {
 public:
  Builder(mt_checkpoint* file, PyObject* ordered_dict, PyObject* counter) : file_(file), ordered_dict_(ordered_dict), counter_(counter) {}

  Ref build(const mt_item* item, int depth = 0) {
    if (depth > deepest) throw NotPlain{};
    if (const auto found = made_.find(item); found != made_.end()) return found->second;
    mt_item_info info{};
    info.struct_size = sizeof info;
    throw_unless_plain(mt_item_get_info(item, &info));
    const bool may_have_attributes = info.kind == MT_ITEM_ORDERED_DICT;
    if (info.attributes && !may_have_attributes) throw NotPlain{};
    switch (info.kind) {
      case MT_ITEM_LIST:
      case MT_ITEM_DICT:
      case MT_ITEM_ORDERED_DICT:
      case MT_ITEM_COUNTER: return build_container(item, info, depth);
      default: break;
    }
    Ref object = build_plain_value(item, info, depth);
    made_.emplace(item, object);
    return object;
  }

 private:
  Ref build_container(const mt_item* item, const mt_item_info& info, int depth) {
    if (info.kind == MT_ITEM_LIST) {
      Ref list = own(PyList_New(0));
      made_.emplace(item, list);  // it may contain itself
      for (int64_t i = 0; i < info.n_items; ++i) expect_zero(PyList_Append(list.get(), build(info.items[i], depth + 1).get()));
      return list;
    }
    PyObject* type = info.kind == MT_ITEM_ORDERED_DICT ? ordered_dict_ : info.kind == MT_ITEM_COUNTER ? counter_ : nullptr;
    Ref dict = own(type ? PyObject_CallNoArgs(type) : PyDict_New());
    made_.emplace(item, dict);
    for (int64_t i = 0; i + 1 < info.n_items; i += 2) {
      const Ref key = build_dict_key(info.items[i]);
      const Ref value = build(info.items[i + 1], depth + 1);
      expect_zero(type ? PyObject_SetItem(dict.get(), key.get(), value.get()) : PyDict_SetItem(dict.get(), key.get(), value.get()));
    }
    if (info.attributes) {
      const Ref attributes = build(info.attributes, depth + 1), own_dict = own(PyObject_GenericGetDict(dict.get(), nullptr));
      if (!PyDict_CheckExact(attributes.get())) throw NotPlain{};
      expect_zero(PyDict_Update(own_dict.get(), attributes.get()));
    }
    return dict;
  }

  // Hashing nested keys can take exponential time: allows only strings and numbers as keys.
  Ref build_dict_key(const mt_item* item) {
    mt_item_info info{};
    info.struct_size = sizeof info;
    throw_unless_plain(mt_item_get_info(item, &info));
    const bool is_simple = info.kind <= MT_ITEM_BYTES || info.kind == MT_ITEM_DTYPE || info.kind == MT_ITEM_TENSOR ||
                           info.kind == MT_ITEM_PARAMETER;
    if (!is_simple) throw NotPlain{};
    return build(item);
  }

  Ref build_plain_value(const mt_item* item, const mt_item_info& info, int depth) {
    switch (info.kind) {
      case MT_ITEM_NONE: return Ref::borrow(Py_None);
      case MT_ITEM_BOOL: return Ref::borrow(info.integer ? Py_True : Py_False);
      case MT_ITEM_INT: return own(PyLong_FromLongLong(info.integer));
      case MT_ITEM_FLOAT: return own(PyFloat_FromDouble(info.real[0]));
      case MT_ITEM_COMPLEX: return own(PyComplex_FromDoubles(info.real[0], info.real[1]));
      case MT_ITEM_STRING: return own(PyUnicode_DecodeUTF8(info.text, info.text_size, "surrogatepass"));
      case MT_ITEM_BYTES: return own(PyBytes_FromStringAndSize(info.text, info.text_size));
      case MT_ITEM_BYTEARRAY: return own(PyByteArray_FromStringAndSize(info.text, info.text_size));
      case MT_ITEM_DTYPE: return own(dtype_object(int32_t(info.integer)));
      case MT_ITEM_TUPLE: return build_tuple(info, depth);
      case MT_ITEM_SET: {
        Ref set = own(PySet_New(nullptr));
        for (int64_t i = 0; i < info.n_items; ++i) expect_zero(PySet_Add(set.get(), build_dict_key(info.items[i]).get()));
        return set;
      }
      case MT_ITEM_SIZE: return own(PyObject_CallOneArg(reinterpret_cast<PyObject*>(size_type), build_tuple(info, depth).get()));
      case MT_ITEM_TENSOR: {
        const Ref tensor = build_tensor(item);
        if (info.requires_grad) expect_zero(PyObject_SetAttrString(tensor.get(), "requires_grad", Py_True));
        return tensor;
      }
      case MT_ITEM_PARAMETER: {
        const Ref parameter = own(PyObject_CallFunction(reinterpret_cast<PyObject*>(state.parameter), "OO", build_tensor(item).get(),
                                                        info.requires_grad ? Py_True : Py_False));
        set_hooks(parameter);
        return parameter;
      }
      default: throw NotPlain{};
    }
  }

  Ref build_tuple(const mt_item_info& info, int depth) {
    Ref items = own(PyTuple_New(info.n_items));
    for (int64_t i = 0; i < info.n_items; ++i) PyTuple_SET_ITEM(items.get(), i, build(info.items[i], depth + 1).release());
    return items;
  }

  Ref build_tensor(const mt_item* item) {
    mt_tensor* tensor = nullptr;
    mt_status* status;
    {
      NoGil unlocked;
      // Prefetches the file's data when the first tensor is read: a large file may contain no tensor.
      status = std::exchange(has_read_, true) ? nullptr : mt_checkpoint_read_ahead(file_);
      if (!status) status = mt_checkpoint_read_item(file_, item, &tensor);
    }
    throw_unless_plain(status);
    const Ref object = own(wrap(tensor));
    const mt_tensor_info info = info_of(object.get());
    // Reproduces the side effects of torch's functions that rebuild tensors: the version counter increases by one, and the tensor gets an
    // empty dict of hooks.
    if (info.layout == MT_STRIDED && info.device.type == MT_CPU) {
      check(mt_tensor_bump_version(tensor));
      set_hooks(object);
    }
    return object;
  }
  void set_hooks(const Ref& tensor) {
    const Ref hooks = own(PyObject_CallNoArgs(ordered_dict_));
    expect_zero(PyObject_SetAttr(tensor.get(), hooks_name_.get(), hooks.get()));
  }

  const Ref hooks_name_ = own(PyUnicode_InternFromString("_backward_hooks"));
  mt_checkpoint* file_;
  bool has_read_ = false;
  PyObject *ordered_dict_, *counter_;
  std::unordered_map<const mt_item*, Ref> made_;
};

struct Opened {
  mt_checkpoint* handle = nullptr;
  ~Opened() { mt_checkpoint_release(handle); }
};

// A warning while the library reads a file makes Python's reader read it, which then emits the warning.
struct WarningsAsFailures {
  mt_warning_fn handler = nullptr;
  void* user = nullptr;
  WarningsAsFailures() {
    const mt_warning_fn refuse = [](void*, const char*, const char*) { return mt_status_create("Warning", ""); };
    check(mt_warning_handler_set(refuse, nullptr, &handler, &user));
  }
  ~WarningsAsFailures() { mt_status_release(mt_warning_handler_set(handler, user, nullptr, nullptr)); }
};

Ref read_plain(const char* path, PyObject* ordered_dict, PyObject* counter, bool mapped) {
  ensure_thread();
  mt_checkpoint_options options{};
  options.struct_size = sizeof options;
  options.access = mapped ? MT_READ_MAP : MT_READ_COPY;
  Opened file;
  {
    const WarningsAsFailures strict;
    mt_status* status;
    {
      NoGil unlocked;
      status = mt_checkpoint_open(path, &options, &file.handle);
    }
    throw_unless_plain(status);
  }
  mt_checkpoint_info info{};
  info.struct_size = sizeof info;
  check(mt_checkpoint_get_info(file.handle, &info));
  const mt_item* root = nullptr;
  check(mt_checkpoint_root_borrow(file.handle, &root));
  if (!root || info.n_elsewhere) throw NotPlain{};
  return Builder(file.handle, ordered_dict, counter).build(root);
}

// _read_checkpoint(path, OrderedDict, Counter, mapped): the object in a file of torch.save, or NotImplemented if it is not plain data.
PyObject* read_checkpoint(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n != 4) raise(PyExc_TypeError, "_read_checkpoint() takes a path, two types and a bool");
    const char* path = PyBytes_AsString(args[0]);
    expect(path);
    try {
      return read_plain(path, args[1], args[2], args[3] == Py_True).release();
    } catch (const NotPlain&) {
      PyErr_Clear();
      return incref(Py_NotImplemented);
    }
  });
}

// The progress callback of saving: lets the interpreter handle signals after each piece of the file.
mt_status* check_signals(void*, int64_t, int64_t) {
  return callback([] { expect_zero(PyErr_CheckSignals()); });
}

// _write_archive(path, pickle, storages): torch.save's file.
PyObject* write_archive(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n != 3) raise(PyExc_TypeError, "_write_archive() takes a path, a pickle and a list of storages");
    const char* path = PyBytes_AsString(args[0]);
    expect(path);
    char* pickle = nullptr;
    Py_ssize_t size = 0;
    expect_zero(PyBytes_AsStringAndSize(args[1], &pickle, &size));
    if (!PyList_Check(args[2])) raise(PyExc_TypeError, "_write_archive() takes storages in a list");
    std::vector<mt_storage*> storages;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[2]); ++i) {
      storages.push_back(to_storage(PyList_GET_ITEM(args[2], i)));
      mt_storage_retain(storages.back());
    }
    struct Kept {
      std::vector<mt_storage*>& all;
      ~Kept() {
        for (mt_storage* storage : all) mt_storage_release(storage);
      }
    } kept{storages};
    mt_save_options options{};
    options.struct_size = sizeof options;
    options.format = MT_FORMAT_TORCH;
    options.without_sync = 1;
    options.progress = check_signals;
    ensure_thread();
    mt_status* status;
    {
      NoGil unlocked;
      status = mt_checkpoint_save_pickle(path, pickle, size, storages.data(), int64_t(storages.size()), &options);
    }
    check(status);
    Py_RETURN_NONE;
  });
}

// ---- named tensors -------------------------------------------------------------------------------------------------

struct TensorDict {
  mt_tensor_dict* dict = nullptr;
  ~TensorDict() { mt_tensor_dict_release(dict); }
};

// _load_tensors(path, access): a dict of tensors, and one of metadata, of a file in any format of the library.
PyObject* load_tensors(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* path = nullptr;
    mt_checkpoint_options options{};
    options.struct_size = sizeof options;
    expect(PyArg_ParseTuple(args, "O&i", PyUnicode_FSConverter, &path, &options.access));
    const Ref kept = own(path);
    ensure_thread();
    Opened file;
    TensorDict tensors;
    mt_status* status;
    {
      NoGil unlocked;
      status = mt_checkpoint_open(PyBytes_AS_STRING(path), &options, &file.handle);
      if (!status) status = mt_checkpoint_read_all(file.handle, &tensors.dict);
    }
    check(status);
    mt_checkpoint_info info{};
    info.struct_size = sizeof info;
    check(mt_checkpoint_get_info(file.handle, &info));
    const Ref named = own(PyDict_New()), metadata = own(PyDict_New());
    int64_t count = 0;
    check(mt_tensor_dict_size(tensors.dict, &count));
    for (int64_t i = 0; i < count; ++i) {
      const char* name = nullptr;
      Handle tensor;
      check(mt_tensor_dict_at(tensors.dict, i, &name, tensor.out()));
      const Ref key = own(PyUnicode_DecodeUTF8(name, Py_ssize_t(std::string_view(name).size()), "surrogatepass"));
      expect_zero(PyDict_SetItem(named.get(), key.get(), own(wrap(std::move(tensor))).get()));
    }
    for (int64_t i = 0; i < info.n_metadata; ++i) {
      const char *key = nullptr, *value = nullptr;
      check(mt_checkpoint_metadata(file.handle, i, &key, &value));
      expect_zero(PyDict_SetItem(metadata.get(), own(PyUnicode_FromString(key)).get(), own(PyUnicode_FromString(value)).get()));
    }
    return Py_BuildValue("(OO)", named.get(), metadata.get());
  });
}

// _save_tensors(path, tensors, format, metadata, level): a dict of tensors, and a tuple of keys and values in turn.
PyObject* save_tensors(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *path = nullptr, *named = nullptr, *metadata = nullptr;
    mt_save_options options{};
    options.struct_size = sizeof options;
    options.without_sync = 1;
    options.progress = check_signals;
    expect(PyArg_ParseTuple(args, "O&O!iO!i", PyUnicode_FSConverter, &path, &PyDict_Type, &named, &options.format, &PyTuple_Type, &metadata,
                            &options.level));
    const Ref kept = own(path);
    ensure_thread();
    std::vector<const char*> texts;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(metadata); ++i) {
      texts.push_back(PyUnicode_AsUTF8(PyTuple_GET_ITEM(metadata, i)));
      expect(texts.back());
    }
    options.metadata = texts.data();
    options.n_metadata = int64_t(texts.size() / 2);
    TensorDict tensors;
    check(mt_tensor_dict_create(&tensors.dict));
    PyObject *name = nullptr, *tensor = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(named, &at, &name, &tensor);) {
      const char* text = PyUnicode_AsUTF8(name);
      expect(text);
      if (!is_tensor(tensor)) raise(PyExc_TypeError, "\"%s\" is no tensor, but %s", text, Py_TYPE(tensor)->tp_name);
      check(mt_tensor_dict_set(tensors.dict, text, handle(tensor)));
    }
    mt_status* status;
    {
      NoGil unlocked;
      status = mt_checkpoint_save(PyBytes_AS_STRING(path), tensors.dict, &options);
    }
    check(status);
    Py_RETURN_NONE;
  });
}

// ---- datasets -----------------------------------------------------------------------------------------------------

struct DatasetObject {
  PyObject_HEAD mt_dataset* dataset;
  PyObject* columns;  // a tuple of (name, encoding)
};
DatasetObject* as_dataset(PyObject* o) { return reinterpret_cast<DatasetObject*>(o); }

mt_dataset_info info_of(mt_dataset* dataset) {
  mt_dataset_info info{};
  info.struct_size = sizeof info;
  check(mt_dataset_get_info(dataset, &info));
  return info;
}

PyObject* dataset_new(PyTypeObject* type, PyObject* args, PyObject*) {
  return guarded([&]() -> PyObject* {
    PyObject* path = nullptr;
    expect(PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path));
    const Ref kept = own(path);
    ensure_thread();
    Ref self = own(type->tp_alloc(type, 0));
    mt_dataset* dataset = nullptr;
    check(mt_dataset_open(PyBytes_AS_STRING(path), &dataset));
    as_dataset(self.get())->dataset = dataset;
    Ref columns = own(PyTuple_New(info_of(dataset).n_columns));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(columns.get()); ++i) {
      const char *name = nullptr, *encoding = nullptr;
      check(mt_dataset_column(dataset, i, &name, &encoding));
      PyTuple_SET_ITEM(columns.get(), i, own(Py_BuildValue("(ss)", name, encoding)).release());
    }
    as_dataset(self.get())->columns = columns.release();
    return self.release();
  });
}

void dataset_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  mt_dataset_release(as_dataset(self)->dataset);
  Py_XDECREF(as_dataset(self)->columns);
  type->tp_free(self);
  Py_DECREF(type);
}

Ref convert_to_python(mt_value& value, const char* encoding) {
  switch (value.tag) {
    case MT_TAG_INT:
      return own(value.flags & MT_FLAG_UNSIGNED ? PyLong_FromUnsignedLongLong(uint64_t(value.as.i)) : PyLong_FromLongLong(value.as.i));
    case MT_TAG_DOUBLE: return own(PyFloat_FromDouble(value.as.d));
    case MT_TAG_TENSOR: {
      mt_tensor* tensor = value.as.tensor;
      value.tag = MT_TAG_NONE;
      return own(wrap(tensor));
    }
    default: break;
  }
  const std::string kind = encoding;
  if (kind == "str" || kind == "json" || kind.starts_with("str_"))
    return own(PyUnicode_DecodeUTF8(value.as.string.data, value.as.string.size, nullptr));
  return own(PyBytes_FromStringAndSize(value.as.string.data, value.as.string.size));
}

// A sample's values, in the order of the columns.
PyObject* dataset_read(PyObject* self, PyObject* index) {
  return guarded([&]() -> PyObject* {
    const long long at = PyLong_AsLongLong(index);
    expect(at != -1 || !PyErr_Occurred());
    PyObject* columns = as_dataset(self)->columns;
    struct Values {
      std::vector<mt_value> items;
      ~Values() {
        for (mt_value& item : items) mt_value_clear(&item);
      }
    } values{std::vector<mt_value>(size_t(PyTuple_GET_SIZE(columns)), mt_value{MT_TAG_NONE, 0, {}})};
    mt_status* status;
    {
      NoGil unlocked;
      status = mt_dataset_read(as_dataset(self)->dataset, at, values.items.data(), int64_t(values.items.size()));
    }
    check(status);
    Ref sample = own(PyTuple_New(PyTuple_GET_SIZE(columns)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(columns); ++i) {
      const char* encoding = PyUnicode_AsUTF8(PyTuple_GET_ITEM(PyTuple_GET_ITEM(columns, i), 1));
      expect(encoding);
      PyTuple_SET_ITEM(sample.get(), i, convert_to_python(values.items[size_t(i)], encoding).release());
    }
    return sample.release();
  });
}

// shuffle(seed, block): all indices, as a list.
PyObject* dataset_shuffle(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n != 2) raise(PyExc_TypeError, "shuffle() takes a seed and a block");
    const unsigned long long seed = PyLong_AsUnsignedLongLongMask(args[0]);
    const long long block = PyLong_AsLongLong(args[1]);
    expect(!PyErr_Occurred());
    std::vector<int64_t> order(size_t(info_of(as_dataset(self)->dataset).n_samples));
    check(mt_dataset_shuffle(as_dataset(self)->dataset, seed, block, order.data()));
    Ref list = own(PyList_New(Py_ssize_t(order.size())));
    for (size_t i = 0; i < order.size(); ++i) PyList_SET_ITEM(list.get(), Py_ssize_t(i), own(PyLong_FromLongLong(order[i])).release());
    return list.release();
  });
}

Py_ssize_t dataset_length(PyObject* self) { return Py_ssize_t(info_of(as_dataset(self)->dataset).n_samples); }
PyObject* dataset_columns(PyObject* self, void*) { return incref(as_dataset(self)->columns); }

PyMethodDef dataset_methods[] = {{"read", dataset_read, METH_O, nullptr},
                                 {"shuffle", fast(dataset_shuffle), METH_FASTCALL, nullptr},
                                 {nullptr, nullptr, 0, nullptr}};
PyGetSetDef dataset_properties[] = {{"columns", dataset_columns, nullptr, nullptr, nullptr}, {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot dataset_slots[] = {{Py_tp_new, reinterpret_cast<void*>(dataset_new)},
                               {Py_tp_dealloc, reinterpret_cast<void*>(dataset_dealloc)},
                               {Py_tp_methods, dataset_methods},
                               {Py_tp_getset, dataset_properties},
                               {Py_sq_length, reinterpret_cast<void*>(dataset_length)},
                               {0, nullptr}};
PyType_Spec dataset_spec = {"torch._C._Dataset", sizeof(DatasetObject), 0, Py_TPFLAGS_DEFAULT, dataset_slots};

// ---- writing datasets ----------------------------------------------------------------------------------------------

struct DatasetWriterObject {
  PyObject_HEAD mt_dataset_writer* writer;
};
DatasetWriterObject* as_writer(PyObject* o) { return reinterpret_cast<DatasetWriterObject*>(o); }

// _DatasetWriter(path, columns, compression, size_limit): columns is a tuple of names and encodings in turn.
PyObject* writer_new(PyTypeObject* type, PyObject* args, PyObject*) {
  return guarded([&]() -> PyObject* {
    PyObject *path = nullptr, *columns = nullptr;
    mt_dataset_writer_options options{};
    options.struct_size = sizeof options;
    options.without_sync = 1;
    long long limit = 0;
    expect(PyArg_ParseTuple(args, "O&O!zL", PyUnicode_FSConverter, &path, &PyTuple_Type, &columns, &options.compression, &limit));
    const Ref kept = own(path);
    options.size_limit = limit;
    std::vector<const char*> texts;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(columns); ++i) {
      texts.push_back(PyUnicode_AsUTF8(PyTuple_GET_ITEM(columns, i)));
      expect(texts.back());
    }
    ensure_thread();
    Ref self = own(type->tp_alloc(type, 0));
    check(mt_dataset_writer_create(PyBytes_AS_STRING(path), texts.data(), int64_t(texts.size() / 2), &options,
                                   &as_writer(self.get())->writer));
    return self.release();
  });
}

void writer_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  mt_dataset_writer_release(as_writer(self)->writer);
  type->tp_free(self);
  Py_DECREF(type);
}

// Boxes a value without copying strings and bytes, so `value` must outlive the result.
mt_value borrow_value(PyObject* value) {
  mt_value out{};
  if (PyLong_Check(value)) {
    out.tag = MT_TAG_INT;
    int overflow = 0;
    out.as.i = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) return out;
    out.flags = MT_FLAG_UNSIGNED;
    out.as.i = int64_t(PyLong_AsUnsignedLongLong(value));
    expect(!PyErr_Occurred());
  } else if (PyFloat_Check(value)) {
    out.tag = MT_TAG_DOUBLE;
    out.as.d = PyFloat_AS_DOUBLE(value);
  } else if (PyUnicode_Check(value)) {
    out.tag = MT_TAG_STRING;
    Py_ssize_t size = 0;
    out.as.string.data = PyUnicode_AsUTF8AndSize(value, &size);
    expect(out.as.string.data);
    out.as.string.size = size;
  } else if (PyBytes_Check(value)) {
    out.tag = MT_TAG_STRING;
    out.as.string = {PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value)};
  } else if (is_tensor(value)) {
    out.tag = MT_TAG_TENSOR;
    out.as.tensor = handle(value);
  } else {
    raise(PyExc_TypeError, "a sample has int, float, str, bytes and tensors, not %s", Py_TYPE(value)->tp_name);
  }
  return out;
}

// write(values): a tuple of the columns' values, in the order of the columns.
PyObject* writer_write(PyObject* self, PyObject* sample) {
  return guarded([&]() -> PyObject* {
    if (!PyTuple_Check(sample)) raise(PyExc_TypeError, "write() takes a tuple");
    std::vector<mt_value> values;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sample); ++i) values.push_back(borrow_value(PyTuple_GET_ITEM(sample, i)));
    check(mt_dataset_writer_write(as_writer(self)->writer, values.data(), int64_t(values.size())));
    Py_RETURN_NONE;
  });
}

PyObject* writer_finish(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    check(mt_dataset_writer_finish(as_writer(self)->writer));
    Py_RETURN_NONE;
  });
}

PyMethodDef writer_methods[] = {{"write", writer_write, METH_O, nullptr},
                                {"finish", writer_finish, METH_NOARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};
PyType_Slot writer_slots[] = {{Py_tp_new, reinterpret_cast<void*>(writer_new)},
                              {Py_tp_dealloc, reinterpret_cast<void*>(writer_dealloc)},
                              {Py_tp_methods, writer_methods},
                              {0, nullptr}};
PyType_Spec writer_spec = {"torch._C._DatasetWriter", sizeof(DatasetWriterObject), 0, Py_TPFLAGS_DEFAULT, writer_slots};

PyMethodDef methods[] = {{"_read_checkpoint", fast(read_checkpoint), METH_FASTCALL, nullptr},
                         {"_write_archive", fast(write_archive), METH_FASTCALL, nullptr},
                         {"_load_tensors", load_tensors, METH_VARARGS, nullptr},
                         {"_save_tensors", save_tensors, METH_VARARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_files(PyObject* module) {
  expect_zero(PyModule_AddFunctions(module, methods));
  add_object(module, "_Dataset", reinterpret_cast<PyObject*>(make_type(&dataset_spec)));
  add_object(module, "_DatasetWriter", reinterpret_cast<PyObject*>(make_type(&writer_spec)));
}

}  // namespace mt::py
