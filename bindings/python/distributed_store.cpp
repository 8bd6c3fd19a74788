// _C._processes.Store: the stores of mindtorch/distributed.h that torch.distributed's classes wrap.
#include <vector>

#include "distributed.h"
#include "tensor.h"
// Must follow Python.h.
#include <datetime.h>

namespace mt::py {

PyTypeObject* store_type;

PyTypeObject* make_handle_type(const char* name, int size, destructor dealloc, PyMethodDef* methods, PyGetSetDef* properties) {
  std::vector<PyType_Slot> slots = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)}, {Py_tp_methods, methods}};
  if (properties) slots.push_back({Py_tp_getset, properties});
  slots.push_back({0, nullptr});
  PyType_Spec spec = {name, size, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};
  return make_type(&spec);
}

// ---- arguments --------------------------------------------------------------------------------------------------------

namespace {
// Imported on first use: importing torch must not import datetime.
void import_datetime_api() {
  if (!PyDateTimeAPI) PyDateTime_IMPORT;
  expect(PyDateTimeAPI != nullptr);
}
}  // namespace

int64_t milliseconds_of(PyObject* delta) {
  if (!delta || delta == Py_None) return 0;
  import_datetime_api();
  if (!PyDelta_Check(delta)) raise(PyExc_TypeError, "expected a datetime.timedelta, but got %s", Py_TYPE(delta)->tp_name);
  return (int64_t(PyDateTime_DELTA_GET_DAYS(delta)) * 86400 + PyDateTime_DELTA_GET_SECONDS(delta)) * 1000 +
         PyDateTime_DELTA_GET_MICROSECONDS(delta) / 1000;
}
PyObject* delta_of(int64_t milliseconds) {
  import_datetime_api();
  return own(PyDelta_FromDSU(int(milliseconds / 86400000), int(milliseconds / 1000 % 86400), int(milliseconds % 1000 * 1000))).release();
}

const char* key_of(PyObject* o) {
  if (!PyUnicode_Check(o)) raise(PyExc_TypeError, "a key must be str, not %s", Py_TYPE(o)->tp_name);
  const char* text = PyUnicode_AsUTF8(o);
  expect(text != nullptr);
  return text;
}

namespace {

// The bytes, borrowed, of a str or an object with a buffer.
class Bytes {
 public:
  explicit Bytes(PyObject* o) {
    if (PyUnicode_Check(o)) {
      Py_ssize_t size = 0;
      data_ = PyUnicode_AsUTF8AndSize(o, &size);
      expect(data_ != nullptr);
      size_ = size;
    } else {
      expect_zero(PyObject_GetBuffer(o, &view_, PyBUF_SIMPLE));
      data_ = static_cast<const char*>(view_.buf);
      size_ = view_.len;
      has_view_ = true;
    }
  }
  Bytes(Bytes&& o) noexcept : data_(o.data_), size_(o.size_), view_(o.view_), has_view_(std::exchange(o.has_view_, false)) {}
  Bytes(const Bytes&) = delete;
  ~Bytes() {
    if (has_view_) PyBuffer_Release(&view_);
  }
  const void* data() const { return data_; }
  int64_t size() const { return size_; }
  mt_value value() const {
    mt_value v{};
    v.tag = MT_TAG_STRING;
    v.as.string = {data_, size_};
    return v;
  }

 private:
  const char* data_ = nullptr;
  int64_t size_ = 0;
  Py_buffer view_{};
  bool has_view_ = false;
};
struct Keys {
  Ref list;
  std::vector<const char*> items;
  explicit Keys(PyObject* o) : list(own(PySequence_Fast(o, "keys must be a list"))) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i) items.push_back(key_of(PySequence_Fast_GET_ITEM(list.get(), i)));
  }
  int64_t count() const { return int64_t(items.size()); }
};

// ---- results ------------------------------------------------------------------------------------------------------------

struct Value {
  mt_value value{};
  ~Value() { mt_value_clear(&value); }
  static PyObject* bytes_of(const mt_value& v) { return own(PyBytes_FromStringAndSize(v.as.string.data, v.as.string.size)).release(); }
  PyObject* bytes() const { return bytes_of(value); }
  PyObject* text() const { return own(PyUnicode_DecodeUTF8(value.as.string.data, value.as.string.size, "replace")).release(); }
  template <class F>
  PyObject* list(F&& item) const {
    const auto* items = static_cast<const mt_value*>(value.as.list.data);
    Ref out = own(PyList_New(value.as.list.size));
    for (int64_t i = 0; i < value.as.list.size; ++i) PyList_SET_ITEM(out.get(), i, item(items[i]));
    return out.release();
  }
};

// ---- stores ---------------------------------------------------------------------------------------------------------------

PyObject* hash_store(PyObject*, PyObject*) {
  return guarded([&] {
    mt_store* store;
    check(mt_store_hash_create(&store));
    return wrap_store(store);
  });
}
PyObject* file_store(PyObject*, PyObject* args) {
  return guarded([&] {
    const char* path;
    long long world_size;
    expect(PyArg_ParseTuple(args, "sL", &path, &world_size));
    mt_store* store;
    unlocked([&] { return mt_store_file_create(path, world_size, &store); });
    return wrap_store(store);
  });
}
PyObject* prefix_store(PyObject*, PyObject* args) {
  return guarded([&] {
    const char* prefix;
    PyObject* inner;
    expect(PyArg_ParseTuple(args, "sO!", &prefix, store_type, &inner));
    mt_store* store;
    check(mt_store_prefix_create(prefix, store_of(inner), &store));
    return wrap_store(store);
  });
}
PyObject* tcp_store(PyObject*, PyObject* args) {
  return guarded([&] {
    mt_tcp_store_options options{};
    options.struct_size = sizeof options;
    PyObject *timeout, *descriptor;
    long long world_size;
    expect(PyArg_ParseTuple(args, "siLpOppOzz", &options.host, &options.port, &world_size, &options.is_server, &timeout,
                            &options.wait_for_workers, &options.multi_tenant, &descriptor, &options.listen_address, &options.secret));
    options.world_size = world_size;
    options.timeout = milliseconds_of(timeout);
    if (descriptor != Py_None) {
      options.has_descriptor = 1;
      options.descriptor = int32_t(to_int64(descriptor));
    }
    mt_store* store;
    unlocked([&] { return mt_store_tcp_create(&options, &store); });
    return wrap_store(store);
  });
}

// Makes a store of a Python object: calls its methods as torch does.
Ref call_store_method(void* user, const char* name, Ref arguments) {
  Ref method = own(PyObject_GetAttrString(static_cast<PyObject*>(user), name));
  return own(PyObject_CallObject(method.get(), arguments.get()));
}
Ref keys_list(const mt_value* keys) {
  const auto* items = static_cast<const mt_value*>(keys->as.list.data);
  Ref out = own(PyList_New(keys->as.list.size));
  for (int64_t i = 0; i < keys->as.list.size; ++i)
    PyList_SET_ITEM(out.get(), i, own(PyUnicode_FromStringAndSize(items[i].as.string.data, items[i].as.string.size)).release());
  return out;
}
void copy_bytes_to_value(PyObject* from, mt_value* out) {
  const Bytes bytes(from);
  const mt_value v = bytes.value();
  check(mt_value_copy(&v, out));
}
Ref bytes_object(const mt_value* v) { return own(Value::bytes_of(*v)); }

const mt_store_table python_table = {
    sizeof(mt_store_table),
    [](void* user, const char* key, const mt_value* value) {
      return callback([&] { call_store_method(user, "set", own(Py_BuildValue("(sN)", key, bytes_object(value).release()))); });
    },
    [](void* user, const char* key, mt_value* out) {
      return callback([&] { copy_bytes_to_value(call_store_method(user, "get", own(Py_BuildValue("(s)", key))).get(), out); });
    },
    [](void* user, const char* key, int64_t amount, int64_t* out) {
      return callback([&] { *out = to_int64(call_store_method(user, "add", own(Py_BuildValue("(sL)", key, (long long)amount))).get()); });
    },
    [](void* user, const char* key, const mt_value* expected, const mt_value* desired, mt_value* out) {
      return callback([&] {
        copy_bytes_to_value(call_store_method(user, "compare_set",
                                              own(Py_BuildValue("(sNN)", key, bytes_object(expected).release(),
                                                                bytes_object(desired).release())))
                                .get(),
                            out);
      });
    },
    [](void* user, const char* key, int32_t* out) {
      return callback([&] { *out = PyObject_IsTrue(call_store_method(user, "delete_key", own(Py_BuildValue("(s)", key))).get()); });
    },
    [](void* user, const mt_value* keys, int32_t* out) {
      return callback(
          [&] { *out = PyObject_IsTrue(call_store_method(user, "check", own(Py_BuildValue("(N)", keys_list(keys).release()))).get()); });
    },
    [](void* user, const mt_value* keys, int64_t timeout) {
      return callback([&] { call_store_method(user, "wait", own(Py_BuildValue("(NN)", keys_list(keys).release(), delta_of(timeout)))); });
    },
    [](void* user, int64_t* out) {
      return callback([&] { *out = to_int64(call_store_method(user, "num_keys", own(PyTuple_New(0))).get()); });
    },
    [](void* user, const char* key, const mt_value* value) {
      return callback([&] { call_store_method(user, "append", own(Py_BuildValue("(sN)", key, bytes_object(value).release()))); });
    },
    nullptr,
    nullptr};

PyObject* python_store(PyObject*, PyObject* object) {
  return guarded([&] {
    mt_store* store;
    PyObject* held = hold_foreign(object);
    if (mt_status* status = mt_store_create(&python_table, held, drop_foreign, &store)) {
      drop_foreign(held);
      raise_status(status);
    }
    return wrap_store(store);
  });
}

PyObject* store_get_timeout(PyObject* self, void*) {
  return guarded([&] {
    int64_t out;
    check(mt_store_timeout(store_of(self), &out));
    return delta_of(out);
  });
}
PyObject* store_set_timeout(PyObject* self, PyObject* delta) {
  return guarded([&] {
    check(mt_store_set_timeout(store_of(self), milliseconds_of(delta)));
    return incref(Py_None);
  });
}
PyObject* store_set(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject *key, *value;
    expect(PyArg_ParseTuple(args, "OO", &key, &value));
    const char* name = key_of(key);
    const Bytes bytes(value);
    unlocked([&] { return mt_store_set(store_of(self), name, bytes.data(), bytes.size()); });
    return incref(Py_None);
  });
}
PyObject* store_get(PyObject* self, PyObject* key) {
  return guarded([&] {
    const char* name = key_of(key);
    Value out;
    unlocked([&] { return mt_store_get(store_of(self), name, &out.value); });
    return out.bytes();
  });
}
PyObject* store_add(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject *key, *amount;
    expect(PyArg_ParseTuple(args, "OO", &key, &amount));
    const char* name = key_of(key);
    const int64_t number = to_int64(amount);
    int64_t out = 0;
    unlocked([&] { return mt_store_add(store_of(self), name, number, &out); });
    return PyLong_FromLongLong(out);
  });
}
PyObject* store_compare_set(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject *key, *expected, *desired;
    expect(PyArg_ParseTuple(args, "OOO", &key, &expected, &desired));
    const char* name = key_of(key);
    const Bytes old(expected), next(desired);
    const mt_value a = old.value(), b = next.value();
    Value out;
    unlocked([&] { return mt_store_compare_set(store_of(self), name, &a, &b, &out.value); });
    return out.bytes();
  });
}
PyObject* store_delete(PyObject* self, PyObject* key) {
  return guarded([&] {
    const char* name = key_of(key);
    int32_t existed = 0;
    unlocked([&] { return mt_store_delete(store_of(self), name, &existed); });
    return PyBool_FromLong(existed);
  });
}
PyObject* store_check(PyObject* self, PyObject* keys) {
  return guarded([&] {
    const Keys names(keys);
    int32_t out = 0;
    unlocked([&] { return mt_store_check(store_of(self), names.items.data(), names.count(), &out); });
    return PyBool_FromLong(out);
  });
}
PyObject* store_wait(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject *keys, *timeout;
    expect(PyArg_ParseTuple(args, "OO", &keys, &timeout));
    const Keys names(keys);
    const int64_t time = milliseconds_of(timeout);
    unlocked([&] { return mt_store_wait(store_of(self), names.items.data(), names.count(), time); });
    return incref(Py_None);
  });
}
PyObject* store_count(PyObject* self, PyObject*) {
  return guarded([&] {
    int64_t out = 0;
    unlocked([&] { return mt_store_count(store_of(self), &out); });
    return PyLong_FromLongLong(out);
  });
}
PyObject* store_keys(PyObject* self, PyObject*) {
  return guarded([&] {
    Value out;
    unlocked([&] { return mt_store_keys(store_of(self), &out.value); });
    return out.list([](const mt_value& v) { return own(PyUnicode_DecodeUTF8(v.as.string.data, v.as.string.size, "replace")).release(); });
  });
}
PyObject* store_append(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject *key, *value;
    expect(PyArg_ParseTuple(args, "OO", &key, &value));
    const char* name = key_of(key);
    const Bytes bytes(value);
    unlocked([&] { return mt_store_append(store_of(self), name, bytes.data(), bytes.size()); });
    return incref(Py_None);
  });
}
PyObject* store_multi_get(PyObject* self, PyObject* keys) {
  return guarded([&] {
    const Keys names(keys);
    Value out;
    unlocked([&] { return mt_store_multi_get(store_of(self), names.items.data(), names.count(), &out.value); });
    return out.list(Value::bytes_of);
  });
}
PyObject* store_multi_set(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject *keys, *values;
    expect(PyArg_ParseTuple(args, "OO", &keys, &values));
    const Keys names(keys);
    Ref list = own(PySequence_Fast(values, "values must be a list"));
    if (PySequence_Fast_GET_SIZE(list.get()) != names.count()) raise(PyExc_ValueError, "multi_set needs a value for each key");
    std::vector<Bytes> bytes;
    std::vector<mt_value> items;
    for (int64_t i = 0; i < names.count(); ++i) bytes.emplace_back(PySequence_Fast_GET_ITEM(list.get(), i));
    for (const Bytes& each : bytes) items.push_back(each.value());
    unlocked([&] { return mt_store_multi_set(store_of(self), names.items.data(), items.data(), names.count()); });
    return incref(Py_None);
  });
}
PyObject* store_push(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject *key, *value;
    expect(PyArg_ParseTuple(args, "OO", &key, &value));
    const char* name = key_of(key);
    const Bytes bytes(value);
    unlocked([&] { return mt_store_queue_push(store_of(self), name, bytes.data(), bytes.size()); });
    return incref(Py_None);
  });
}
PyObject* store_pop(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject* key;
    int block;
    expect(PyArg_ParseTuple(args, "Op", &key, &block));
    const char* name = key_of(key);
    Value out;
    unlocked([&] { return mt_store_queue_pop(store_of(self), name, block, &out.value); });
    return out.bytes();
  });
}
PyObject* store_queue_size(PyObject* self, PyObject* key) {
  return guarded([&] {
    const char* name = key_of(key);
    int64_t out = 0;
    unlocked([&] { return mt_store_queue_size(store_of(self), name, &out); });
    return PyLong_FromLongLong(out);
  });
}
PyObject* store_barrier(PyObject* self, PyObject* args) {
  return guarded([&] {
    PyObject *key, *timeout;
    long long world_size;
    expect(PyArg_ParseTuple(args, "OLO", &key, &world_size, &timeout));
    const char* name = key_of(key);
    const int64_t time = milliseconds_of(timeout);
    unlocked([&] { return mt_store_barrier(store_of(self), name, world_size, time); });
    return incref(Py_None);
  });
}
PyObject* store_clone(PyObject* self, PyObject*) {
  return guarded([&] {
    mt_store* out;
    unlocked([&] { return mt_store_clone(store_of(self), &out); });
    return wrap_store(out);
  });
}
PyObject* store_port(PyObject* self, void*) {
  return guarded([&] {
    int32_t port = 0;
    check(mt_store_tcp_info(store_of(self), &port, nullptr));
    return PyLong_FromLong(port);
  });
}
PyObject* store_description(PyObject* self, void*) {
  return guarded([&] {
    Value out;
    check(mt_store_tcp_info(store_of(self), nullptr, &out.value));
    return out.text();
  });
}

PyMethodDef store_methods[] = {{"set_timeout", store_set_timeout, METH_O, nullptr},
                               {"set", store_set, METH_VARARGS, nullptr},
                               {"get", store_get, METH_O, nullptr},
                               {"add", store_add, METH_VARARGS, nullptr},
                               {"compare_set", store_compare_set, METH_VARARGS, nullptr},
                               {"delete_key", store_delete, METH_O, nullptr},
                               {"check", store_check, METH_O, nullptr},
                               {"wait", store_wait, METH_VARARGS, nullptr},
                               {"num_keys", store_count, METH_NOARGS, nullptr},
                               {"list_keys", store_keys, METH_NOARGS, nullptr},
                               {"append", store_append, METH_VARARGS, nullptr},
                               {"multi_get", store_multi_get, METH_O, nullptr},
                               {"multi_set", store_multi_set, METH_VARARGS, nullptr},
                               {"queue_push", store_push, METH_VARARGS, nullptr},
                               {"queue_pop", store_pop, METH_VARARGS, nullptr},
                               {"queue_len", store_queue_size, METH_O, nullptr},
                               {"barrier", store_barrier, METH_VARARGS, nullptr},
                               {"clone", store_clone, METH_NOARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};
PyGetSetDef store_properties[] = {{"timeout", store_get_timeout, nullptr, nullptr, nullptr},
                                  {"port", store_port, nullptr, nullptr, nullptr},
                                  {"description", store_description, nullptr, nullptr, nullptr},
                                  {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef store_functions[] = {{"hash_store", hash_store, METH_NOARGS, nullptr},      {"file_store", file_store, METH_VARARGS, nullptr},
                                 {"prefix_store", prefix_store, METH_VARARGS, nullptr}, {"tcp_store", tcp_store, METH_VARARGS, nullptr},
                                 {"python_store", python_store, METH_O, nullptr},       {nullptr, nullptr, 0, nullptr}};

void dealloc_store(PyObject* self) {
  dealloc_with(self, [store = store_of(self)] { mt_store_release(store); });
}

}  // namespace

void init_stores(PyObject* module) {
  store_type = make_handle_type("torch._C._processes.Store", sizeof(StoreObject), dealloc_store, store_methods, store_properties);
  expect_zero(PyModule_AddFunctions(module, store_functions));
}

}  // namespace mt::py
