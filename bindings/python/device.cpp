// torch.device: a device type with an optional index; also a context manager that makes it the default for factories.
#include <vector>

#include "signature.h"
#include "stream.h"
#include "types.h"

namespace mt::py {

PyTypeObject* device_type = nullptr;

namespace {

mt_device device_of_object(PyObject* self) { return reinterpret_cast<DeviceObject*>(self)->device; }

mt_device parse_device(PyObject* text) {
  const std::string name(text_of(text));
  if (name.find('\0') != std::string::npos) raise(PyExc_ValueError, "embedded null character");
  mt_device device;
  check(mt_device_parse(name.c_str(), &device));
  return device;
}

// `index` may be NULL or None. It is stored in eight bits, as in torch.
mt_device make_with_index(PyObject* type, PyObject* index) {
  mt_device device = parse_device(type);
  if (device.index != -1) {
    raise(PyExc_RuntimeError, "type (string) must not include an index because index was passed explicitly: %s",
          std::string(text_of(type)).c_str());
  }
  if (!index || index == Py_None) return device;
  int64_t number = to_int64(index);
  if (number < 0) raise(PyExc_RuntimeError, "Device index must not be negative");
  device.index = static_cast<int8_t>(number);
  return device;
}

PyObject* create_device(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const Parser parser("device", {"device(Device device)", "device(str type, int? index=-1)"});
    if (PyTuple_GET_SIZE(args) == 1 && !kwargs && can_be_device(PyTuple_GET_ITEM(args, 0))) {
      return device_object(to_device(PyTuple_GET_ITEM(args, 0)));
    }
    Unpacked given(args, kwargs);
    auto parsed = parser.parse(given.arguments);
    return device_object(parsed.index == 0 ? to_device(parsed.object(0)) : make_with_index(parsed.object(0), parsed.object(1)));
  });
}

PyObject* repr(PyObject* self) {
  mt_device d = device_of_object(self);
  if (d.index == -1) return PyUnicode_FromFormat("device(type='%s')", mt_device_type_name(d.type));
  // torch prints an index that is negative in eight bits as an unsigned 16-bit number.
  return PyUnicode_FromFormat("device(type='%s', index=%d)", mt_device_type_name(d.type), int(uint16_t(d.index)));
}
PyObject* str(PyObject* self) { return PyUnicode_FromString(device_text(device_of_object(self)).c_str()); }
// torch's hash: the type's 16 bits above the index's 8.
Py_hash_t hash(PyObject* self) {
  mt_device d = device_of_object(self);
  return static_cast<Py_hash_t>(uint32_t(uint16_t(d.type)) << 16 | uint8_t(d.index));
}
PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (op != Py_EQ && op != Py_NE) {
    PyErr_SetString(PyExc_TypeError, "comparison not implemented");
    return nullptr;
  }
  if (!is_device(a) || !is_device(b)) Py_RETURN_NOTIMPLEMENTED;
  mt_device x = device_of_object(a), y = device_of_object(b);
  return PyBool_FromLong((x.type == y.type && x.index == y.index) == (op == Py_EQ));
}
PyObject* reduce(PyObject* self, PyObject*) {
  mt_device d = device_of_object(self);
  if (d.index == -1) return Py_BuildValue("O(s)", device_type, mt_device_type_name(d.type));
  return Py_BuildValue("O(si)", device_type, mt_device_type_name(d.type), d.index);
}

// `with torch.device(...)` enters a torch-function mode that the package defines; the modes entered here, innermost last.
std::vector<PyObject*>& entered_modes() {
  thread_local std::vector<PyObject*> modes;
  return modes;
}
PyObject* enter_device_mode(PyObject* self, PyObject*) {
  return guarded([&] {
    Ref mode_type = import_from_root("utils._device", "DeviceContext");
    Ref mode = own(PyObject_CallOneArg(mode_type.get(), self));
    Ref result = own(PyObject_CallMethod(mode.get(), "__enter__", nullptr));
    entered_modes().push_back(mode.release());
    return incref(self);
  });
}
PyObject* leave_device_mode(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    if (entered_modes().empty()) raise(PyExc_RuntimeError, "__exit__ of a device that was not entered");
    Ref mode(entered_modes().back());
    entered_modes().pop_back();
    Ref method = own(PyObject_GetAttrString(mode.get(), "__exit__"));
    return own(PyObject_CallObject(method.get(), args)).release();
  });
}

PyObject* get_type(PyObject* self, void*) { return PyUnicode_FromString(mt_device_type_name(device_of_object(self).type)); }
PyObject* get_index(PyObject* self, void*) {
  int32_t index = device_of_object(self).index;
  return index == -1 ? incref(Py_None) : PyLong_FromLong(index);
}

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, "What pickle saves."},
                         {"__enter__", enter_device_mode, METH_NOARGS, "Makes this the device of new tensors."},
                         {"__exit__", leave_device_mode, METH_VARARGS, "Leaves the context."},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {{"type", get_type, nullptr, "The kind of device, like 'cpu'.", nullptr},
                        {"index", get_index, nullptr, "The number among devices of its kind, or None.", nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_doc,
                        const_cast<char*>("A kind of device, maybe with an index: 'npu:0'. As a context, where new tensors go.")},
                       {Py_tp_new, reinterpret_cast<void*>(create_device)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_str, reinterpret_cast<void*>(str)},
                       {Py_tp_hash, reinterpret_cast<void*>(hash)},
                       {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {0, nullptr}};
PyType_Spec spec = {"torch.device", sizeof(DeviceObject), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

PyObject* device_object(mt_device device) {
  auto* object = PyObject_New(DeviceObject, device_type);
  if (object) object->device = device;
  return reinterpret_cast<PyObject*>(object);
}

bool can_be_device(PyObject* o) { return is_device(o) || is_text(o) || is_int(o); }

mt_device to_device(PyObject* o) {
  if (is_device(o)) return device_of_object(o);
  if (is_text(o)) return parse_device(o);
  int64_t index = to_int64(o);
  if (index < 0) raise(PyExc_RuntimeError, "Device index must not be negative");
  if (!npu_count()) raise(PyExc_RuntimeError, "Cannot access accelerator device when none is available.");
  return {MT_NPU, static_cast<int32_t>(index)};
}

std::string device_text(mt_device device) {
  std::string text = mt_device_type_name(device.type);
  return device.index == -1 ? text : text + ":" + std::to_string(device.index);
}

void init_device(PyObject* module) {
  device_type = make_type(&spec);
  add_object(module, "device", reinterpret_cast<PyObject*>(device_type));
}

}  // namespace mt::py
