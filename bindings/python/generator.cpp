// torch.Generator: a random stream and its state.
#include "operators.h"
#include "stream.h"
#include "tensor.h"
#include "types.h"

namespace mt::py {

PyTypeObject* generator_type = nullptr;

namespace {

mt_generator* generator_of(PyObject* self) { return reinterpret_cast<GeneratorObject*>(self)->generator; }

PyObject* create_generator(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"device", nullptr};
    PyObject* device = nullptr;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &device));
    mt_device where = {MT_CPU, -1};
    if (device && device != Py_None) {
      if (!can_be_device(device)) {
        raise(PyExc_TypeError, "Generator(): argument 'device' (position 1) must be torch.device, not %s", Py_TYPE(device)->tp_name);
      }
      where = to_device(device);
    }
    mt_generator* generator = nullptr;
    check(mt_generator_create(where, &generator));
    auto* self = reinterpret_cast<GeneratorObject*>(type->tp_alloc(type, 0));
    if (self)
      self->generator = generator;
    else
      mt_generator_release(generator);
    return reinterpret_cast<PyObject*>(self);
  });
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  mt_generator_release(generator_of(self));
  type->tp_free(self);
  Py_DECREF(type);
}

// torch interprets negative seeds as two's complement.
uint64_t to_seed(PyObject* o) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (!overflow) return static_cast<uint64_t>(value);
  unsigned long long bits = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    raise(PyExc_ValueError, "Overflow when unpacking long long");
  }
  return bits;
}

PyObject* manual_seed(PyObject* self, PyObject* seed) {
  return guarded([&] {
    if (!is_int(seed)) raise(PyExc_RuntimeError, "manual_seed expected a long, but got %s", Py_TYPE(seed)->tp_name);
    Ref index = own(PyNumber_Index(seed));
    check(mt_generator_seed(generator_of(self), to_seed(index.get())));
    return incref(self);
  });
}
PyObject* seed_randomly(PyObject* self, PyObject*) {
  return guarded([&] {
    uint64_t value;
    check(mt_generator_reseed(generator_of(self), &value));
    return PyLong_FromUnsignedLongLong(value);
  });
}
PyObject* initial_seed(PyObject* self, PyObject*) {
  return guarded([&] {
    uint64_t value;
    check(mt_generator_initial_seed(generator_of(self), &value));
    return PyLong_FromUnsignedLongLong(value);
  });
}

PyObject* get_state(PyObject* self, PyObject*) {
  return guarded([&] {
    char bytes[8192];
    int64_t size = 0;
    check(mt_generator_get_state(generator_of(self), bytes, sizeof bytes, &size));
    Handle tensor;
    check(mt_tensor_from_copy(bytes, &size, 1, MT_UINT8, tensor.out()));
    return wrap(std::move(tensor));
  });
}
void restore_state(mt_generator* generator, PyObject* state_tensor) {
  if (!is_tensor(state_tensor)) {
    raise(PyExc_TypeError, "expected a torch.ByteTensor, but got %s", Py_TYPE(state_tensor)->tp_name);
  }
  mt_tensor_info info = info_of(state_tensor);
  if (info.dtype != MT_UINT8 || info.device.type != MT_CPU || !(info.flags & MT_TENSOR_IS_CONTIGUOUS)) {
    raise(PyExc_TypeError, "RNG state must be a torch.ByteTensor");
  }
  void* data = nullptr;
  check(mt_tensor_data(handle(state_tensor), &data));
  check(mt_generator_set_state(generator, data, info.numel));
}
PyObject* set_state(PyObject* self, PyObject* state_tensor) {
  return guarded([&] {
    restore_state(generator_of(self), state_tensor);
    return incref(self);
  });
}
PyObject* clone_state(PyObject* self, PyObject*) {
  return guarded([&] {
    mt_generator* copy = nullptr;
    check(mt_generator_clone(generator_of(self), &copy));
    return generator_object(copy);
  });
}
PyObject* graphsafe_get_state(PyObject* self, PyObject*) { return clone_state(self, nullptr); }
PyObject* graphsafe_set_state(PyObject* self, PyObject* other) {
  return guarded([&] {
    if (!is_generator(other)) raise(PyExc_TypeError, "expected a Generator, but got %s", Py_TYPE(other)->tp_name);
    Ref bytes = own(get_state(other, nullptr));
    restore_state(generator_of(self), bytes.get());
    return incref(self);
  });
}
void require_offset_support(mt_generator* generator) {
  mt_device device;
  check(mt_generator_device(generator, &device));
  if (device.type != MT_NPU) raise(PyExc_RuntimeError, "CPU Generator does not use offset");
}
PyObject* get_offset(PyObject* self, PyObject*) {
  return guarded([&] {
    require_offset_support(generator_of(self));
    uint64_t offset = 0;
    check(mt_npu_generator_get_offset(generator_of(self), &offset));
    return PyLong_FromUnsignedLongLong(offset);
  });
}
PyObject* set_offset(PyObject* self, PyObject* offset) {
  return guarded([&] {
    require_offset_support(generator_of(self));
    if (!is_int(offset)) raise(PyExc_RuntimeError, "manual_offset expected a long, but got %s", Py_TYPE(offset)->tp_name);
    check(mt_npu_generator_set_offset(generator_of(self), to_seed(offset)));
    return incref(self);
  });
}
PyObject* get_device(PyObject* self, void*) {
  return guarded([&] {
    mt_device device;
    check(mt_generator_device(generator_of(self), &device));
    return device_object(device);
  });
}
PyObject* reduce(PyObject* self, PyObject*) {
  return guarded([&] {
    Ref device = own(get_device(self, nullptr)), seed = own(initial_seed(self, nullptr)), bytes = own(get_state(self, nullptr));
    return Py_BuildValue("O(O)(OOO)", generator_type, device.get(), seed.get(), Py_None, bytes.get());
  });
}
PyObject* setstate(PyObject* self, PyObject* saved) {
  return guarded([&] {
    PyObject *seed, *offset, *bytes;
    expect(PyArg_ParseTuple(saved, "OOO", &seed, &offset, &bytes));
    check(mt_generator_seed(generator_of(self), to_seed(seed)));
    restore_state(generator_of(self), bytes);
    return incref(Py_None);
  });
}
PyObject* get_cdata(PyObject* self, void*) { return PyLong_FromVoidPtr(generator_of(self)); }

PyMethodDef methods[] = {{"manual_seed", manual_seed, METH_O, "Restarts the stream from a seed."},
                         {"seed", seed_randomly, METH_NOARGS, "Restarts the stream from the system's randomness."},
                         {"initial_seed", initial_seed, METH_NOARGS, "The seed that the stream was started with."},
                         {"get_state", get_state, METH_NOARGS, "The state as a ByteTensor."},
                         {"set_state", set_state, METH_O, "Restores a state."},
                         {"clone_state", clone_state, METH_NOARGS, "A generator in the same state."},
                         {"graphsafe_get_state", graphsafe_get_state, METH_NOARGS, "The same as clone_state()."},
                         {"graphsafe_set_state", graphsafe_set_state, METH_O, "Takes another generator's state."},
                         {"set_offset", set_offset, METH_O, "Sets how far the stream is, a multiple of 4; NPUs only."},
                         {"get_offset", get_offset, METH_NOARGS, "How far the stream is; NPUs only."},
                         {"__reduce__", reduce, METH_NOARGS, "What pickle saves."},
                         {"__setstate__", setstate, METH_O, "Takes what pickle saved."},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {{"device", get_device, nullptr, "The device that the numbers are for.", nullptr},
                        {"_cdata", get_cdata, nullptr, "The C handle's address.", nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>("A stream of random numbers for a device, by default the CPU.")},
                       {Py_tp_new, reinterpret_cast<void*>(create_generator)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {0, nullptr}};
PyType_Spec spec = {"torch._C.Generator", sizeof(GeneratorObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

PyObject* generator_object(mt_generator* owned) {
  auto* self = reinterpret_cast<GeneratorObject*>(generator_type->tp_alloc(generator_type, 0));
  if (self)
    self->generator = owned;
  else
    mt_generator_release(owned);
  return reinterpret_cast<PyObject*>(self);
}

void init_generator(PyObject* module) {
  generator_type = make_type(&spec);
  add_object(module, "Generator", reinterpret_cast<PyObject*>(generator_type));
  mt_generator* generator = nullptr;
  check(mt_generator_default(&generator));
  Ref object = own(generator_object(generator));
  add_object(module, "default_generator", object.get());
}

}  // namespace mt::py
