// Devices of every type, and custom devices.
#include <mindtorch/device.h>

#include <cstring>

#include "convert.h"
#include "core/messages.h"
#include "npu/acl.h"
#include "npu/plugin.h"
#include "npu/runtime.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

namespace {

// Whether a device type always exists and has one stateless device: cpu and meta.
bool is_stateless(int32_t type) { return type == MT_CPU || type == MT_META; }
void check_has_backend(int32_t type) {
  check(type == MT_NPU, ErrorKind::not_implemented, messages::no_backend_for_device_type,
        mt_device_type_name(type) ? mt_device_type_name(type) : "unknown");
}
void check_only_device(int32_t device) { check(device == 0 || device == -1, "invalid device ordinal"); }

mt_status* find_bytes_in_use(void* user, const char* name, int64_t value) {
  if (std::strcmp(name, "allocated_bytes.all.current") == 0) *static_cast<int64_t*>(user) = value;
  return nullptr;
}

}  // namespace

mt_status* mt_device_serve(const mt_device_backend* backend) {
  return guard([&] {
    const mt_device_backend own = read_struct(backend, "backend");
    ensure_registry();
    npu::set_plugin(own);
  });
}

mt_status* mt_device_load(const char* path) {
  return guard([&] {
    require_not_null(path, "path");
    ensure_registry();
    npu::load_device(path, mt_get_api);
  });
}

const char* mt_device_backend_name(void) {
  if (const mt_device_backend* table = npu::plugin()) return table->name;
  return npu::loaded_acl() ? "acl" : nullptr;
}

mt_status* mt_device_count(int32_t type, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    int32_t count = is_stateless(type);
    const mt_device_backend* table = npu::plugin();
    if (type == MT_NPU && table)
      rethrow_status(table->count(table->user, &count));
    else if (type == MT_NPU)
      count = npu::device_count();
    *out = count;
  });
}

mt_status* mt_device_get(int32_t type, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    if (is_stateless(type)) {
      *out = 0;
      return;
    }
    check_has_backend(type);
    *out = npu::plugin() ? npu::check_plugin_device(-1) : npu::checked_device(-1);
  });
}

mt_status* mt_device_set(int32_t type, int32_t device) {
  return guard([&] {
    if (is_stateless(type)) return check_only_device(device);
    check_has_backend(type);
    const mt_device_backend* table = npu::plugin();
    if (!table) return npu::set_current_device(device);
    device = npu::check_plugin_device(device);
    if (table->set_device) return rethrow_status(table->set_device(table->user, device));
    check(device == 0, ErrorKind::not_implemented, "the device \"{}\" always computes on its first one", table->name);
  });
}

mt_status* mt_device_synchronize(int32_t type, int32_t device) {
  return guard([&] {
    if (is_stateless(type)) return check_only_device(device);
    check_has_backend(type);
    const mt_device_backend* table = npu::plugin();
    if (!table) return npu::synchronize_device(device);
    device = npu::check_plugin_device(device);
    if (table->synchronize) rethrow_status(table->synchronize(table->user, device));
  });
}

mt_status* mt_device_memory_in_use(int32_t type, int32_t device, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    check_has_backend(type);
    int64_t bytes = 0;
    const mt_device_backend* table = npu::plugin();
    if (!table) {
      rethrow_status(mt_npu_memory_stats(device, find_bytes_in_use, &bytes));
    } else {
      check(table->memory_in_use, ErrorKind::not_implemented, "the device \"{}\" does not count its memory", table->name);
      rethrow_status(table->memory_in_use(table->user, npu::check_plugin_device(device), &bytes));
    }
    *out = bytes;
  });
}
