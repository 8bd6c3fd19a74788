// Streams, events and memory of devices: the objects behind torch.Stream and torch.Event, and additions for NPUs.
#pragma once
#include <mindtorch/npu.h>

#include <functional>

#include "types.h"

namespace mt::py {

struct StreamObject {
  PyObject_HEAD int64_t id;  // 0 is the default stream
  mt_device device;
  PyObject* weakrefs;
};
struct EventObject {
  PyObject_HEAD mt_device device;
  bool timed;
  mt_npu_event* event;  // owned; NULL if the device is no NPU
  PyObject* weakrefs;
};
extern PyTypeObject *stream_type, *event_type;
inline StreamObject* as_stream(PyObject* self) { return reinterpret_cast<StreamObject*>(self); }
inline EventObject* as_event(PyObject* self) { return reinterpret_cast<EventObject*>(self); }

PyObject* new_stream(PyTypeObject* type, mt_device device, int64_t id);
// flags: MT_NPU_EVENT_*
PyObject* new_event(PyTypeObject* type, mt_device device, int32_t flags);

// ---- NPUs (npu.cpp) --------------------------------------------------------------------------------------------------

int32_t npu_count();  // raises if the library cannot be loaded
// As npu_count, but if the library cannot be loaded, warns and returns 0.
int32_t usable_npu_count();
inline bool is_present_npu(mt_device device) { return device.type == MT_NPU && usable_npu_count() > 0; }
// The device of torch.accelerator: an NPU if there is one, else the CPU; without an index.
inline mt_device accelerator() { return {usable_npu_count() > 0 ? MT_NPU : MT_CPU, -1}; }
// The index of an NPU; the current one if `device` has none.
int32_t npu_index(mt_device device);
// Waits with the GIL released.
template <class F>
void check_unlocked(F&& wait) {
  mt_status* status;
  {
    NoGil unlocked;
    status = wait();
  }
  check(status);
}

// Whether a storage is in device memory, which the host must not access (storage_device.cpp).
bool is_on_device(const mt_storage* storage);
uint8_t device_byte(mt_storage* storage, int64_t at);
void fill_on_device(mt_storage* storage, int64_t start, int64_t n, uint8_t byte);
void copy_on_device(mt_storage* to, mt_storage* from, bool non_blocking);

// Collects the name/value pairs that a function of the library reports in a dict.
PyObject* collect_figures(const std::function<mt_status*(mt_npu_figure_fn, void*)>& source);
void add_npu_memory(PyObject* module);

}  // namespace mt::py
