// NPUs: the library, devices, streams, events, graphs, and the simulator's faults and counters.
#include "npu/launch.h"
#include "npu_handles.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

// ---- the library --------------------------------------------------------------------------------------------------

mt_status* mt_npu_load(const char* path) {
  return guard([&] { npu::load(path); });
}
const char* mt_npu_library(void) { return npu::library_path(); }
int32_t mt_npu_is_initialized(void) { return npu::is_initialized(); }
int32_t mt_npu_in_bad_fork(void) { return npu::in_bad_fork(); }

// ---- devices ------------------------------------------------------------------------------------------------------

mt_status* mt_npu_device_count(int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = npu::device_count();
  });
}
mt_status* mt_npu_get_device(int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = npu::checked_device(-1);
  });
}
mt_status* mt_npu_set_device(int32_t device) {
  return guard([&] { npu::set_current_device(device); });
}

mt_status* mt_npu_get_properties(int32_t device, mt_npu_properties* out) {
  return guard([&] {
    check_struct(out, "out");
    device = npu::checked_device(device);
    npu::DeviceScope scope(device);
    mt_npu_properties p{};
    const char* name = npu::acl().aclrtGetSocName();
    for (size_t i = 0; name && name[i] && i + 1 < sizeof p.name; ++i) p.name[i] = name[i];
    size_t free = 0, total = 0;
    MT_ACL(aclrtGetMemInfo, acl::hbm_memory, &free, &total);
    p.total_memory = int64_t(total);
    auto attribute = [&](int32_t which) {
      int64_t value = 0;
      // Attributes that older releases of CANN lack are reported as 0.
      if (npu::acl().aclrtGetDeviceInfo && npu::acl().aclrtGetDeviceInfo(uint32_t(device), which, &value) != acl::success) value = 0;
      return value;
    };
    p.l2_cache_size = attribute(acl::attribute_l2_size);
    p.cube_core_num = int32_t(attribute(acl::attribute_cube_cores));
    p.vector_core_num = int32_t(attribute(acl::attribute_vector_cores));
    write_struct(out, "out", p);
  });
}
mt_status* mt_npu_can_access_peer(int32_t device, int32_t peer, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    device = npu::checked_device(device);
    peer = npu::checked_device(peer);
    int32_t can = 0;
    if (npu::acl().aclrtDeviceCanAccessPeer) MT_ACL(aclrtDeviceCanAccessPeer, &can, device, peer);
    *out = can;
  });
}
mt_status* mt_npu_memory_info(int32_t device, int64_t* free, int64_t* total) {
  return guard([&] {
    require_not_null(free, "free");
    require_not_null(total, "total");
    npu::DeviceScope scope(npu::checked_device(device));
    size_t f = 0, t = 0;
    MT_ACL(aclrtGetMemInfo, acl::hbm_memory, &f, &t);
    *free = int64_t(f);
    *total = int64_t(t);
  });
}
mt_status* mt_npu_synchronize(int32_t device) {
  return guard([&] {
    device = npu::checked_device(device);
    npu::DeviceScope scope(device);
    npu::synchronize_device(device);
  });
}

// ---- streams ------------------------------------------------------------------------------------------------------

mt_status* mt_npu_stream_new(int32_t device, int32_t priority, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = npu::new_stream(device, priority).id;
  });
}
mt_status* mt_npu_stream_from_handle(int32_t device, void* handle, int64_t* out) {
  return guard([&] {
    require_not_null(handle, "handle");
    require_not_null(out, "out");
    *out = npu::external_stream(device, handle).id;
  });
}
mt_status* mt_npu_stream_handle(int32_t device, int64_t stream, void** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = npu::stream_of(device, stream).handle;
  });
}
mt_status* mt_npu_stream_priority(int32_t device, int64_t stream, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = npu::stream_of(device, stream).priority < 0 ? -1 : 0;
  });
}
mt_status* mt_npu_stream_get(int32_t device, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = npu::current_stream(device).id;
  });
}
mt_status* mt_npu_stream_set(int32_t device, int64_t stream) {
  return guard([&] { npu::set_current_stream(device, stream); });
}
mt_status* mt_npu_stream_query(int32_t device, int64_t stream, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = npu::query_stream(npu::stream_of(device, stream));
  });
}
mt_status* mt_npu_stream_synchronize(int32_t device, int64_t stream) {
  return guard([&] { npu::synchronize_stream(npu::stream_of(device, stream)); });
}
mt_status* mt_npu_stream_is_capturing(int32_t device, int64_t stream, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = npu::is_capturing(npu::stream_of(device, stream));
  });
}
mt_status* mt_npu_stream_call(int32_t device, int64_t stream, void (*callback)(void* user), void* user) {
  return guard([&] {
    require_not_null(reinterpret_cast<const void*>(callback), "callback");
    const npu::Stream& s = npu::stream_of(device, stream);
    MT_ACL(aclrtLaunchHostFunc, s.handle, callback, user);
  });
}

// ---- events -------------------------------------------------------------------------------------------------------

mt_status* mt_npu_event_create(int32_t flags, mt_npu_event** out) {
  return guard([&] {
    require_not_null(out, "out");
    check(!(flags & ~(MT_NPU_EVENT_TIMING | MT_NPU_EVENT_BLOCKING)), ErrorKind::value, "event flags {} are not known", flags);
    *out = reinterpret_cast<mt_npu_event*>(new npu::Event(flags & MT_NPU_EVENT_TIMING));
  });
}
void mt_npu_event_retain(mt_npu_event* event) { retain(event); }
void mt_npu_event_release(mt_npu_event* event) { release<npu::Event>(event); }
mt_status* mt_npu_event_record(mt_npu_event* event, int32_t device, int64_t stream) {
  return guard([&] { event_of(event).record(npu::stream_of(device, stream)); });
}
mt_status* mt_npu_event_query(const mt_npu_event* event, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = event_of(event).query();
  });
}
mt_status* mt_npu_event_synchronize(const mt_npu_event* event) {
  return guard([&] { event_of(event).synchronize(); });
}
mt_status* mt_npu_event_wait(const mt_npu_event* event, int32_t device, int64_t stream) {
  return guard([&] { event_of(event).wait(npu::stream_of(device, stream)); });
}
mt_status* mt_npu_event_elapsed(const mt_npu_event* start, const mt_npu_event* end, double* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = event_of(start).elapsed_to(event_of(end));
  });
}
mt_status* mt_npu_event_device(const mt_npu_event* event, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = event_of(event).device();
  });
}
mt_status* mt_npu_event_handle(const mt_npu_event* event, void** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = event_of(event).handle();
  });
}

// ---- graphs -------------------------------------------------------------------------------------------------------

mt_status* mt_npu_graph_create(mt_npu_graph** out) {
  return guard([&] {
    require_not_null(out, "out");
    npu::acl();
    *out = reinterpret_cast<mt_npu_graph*>(new npu::Graph());
  });
}
void mt_npu_graph_release(mt_npu_graph* graph) { release<npu::Graph>(graph); }
mt_status* mt_npu_graph_capture_begin(mt_npu_graph* graph, int64_t pool_owner, int64_t pool_id, int32_t mode) {
  return guard([&] { graph_of(graph).begin({pool_owner, pool_id}, mode); });
}
mt_status* mt_npu_graph_capture_end(mt_npu_graph* graph) {
  return guard([&] { graph_of(graph).end(); });
}
mt_status* mt_npu_graph_replay(mt_npu_graph* graph) {
  return guard([&] { graph_of(graph).replay(); });
}
mt_status* mt_npu_graph_reset(mt_npu_graph* graph) {
  return guard([&] { graph_of(graph).reset(); });
}
mt_status* mt_npu_graph_pool(const mt_npu_graph* graph, int64_t* owner, int64_t* id) {
  return guard([&] {
    require_not_null(owner, "owner");
    require_not_null(id, "id");
    const npu::PoolId pool = graph_of(graph).pool();
    *owner = pool.owner;
    *id = pool.id;
  });
}
mt_status* mt_npu_graph_pool_new(int64_t* owner, int64_t* id) {
  return guard([&] {
    require_not_null(owner, "owner");
    require_not_null(id, "id");
    const npu::PoolId pool = npu::new_pool();
    *owner = pool.owner;
    *id = pool.id;
  });
}

// ---- operators ----------------------------------------------------------------------------------------------------

namespace {
mt_status* return_kernel_text(const mt_op* op, int variant, const char** out) {
  return guard([&] {
    Operator& object = operator_of(op);
    require_not_null(out, "out");
    *out = object.def ? npu::kernel_text(object, variant) : nullptr;
  });
}
}  // namespace
mt_status* mt_npu_kernel_name(const mt_op* op, const char** out) { return return_kernel_text(op, 0, out); }
mt_status* mt_npu_number_kernel_name(const mt_op* op, const char** out) { return return_kernel_text(op, 1, out); }

// ---- the simulator ------------------------------------------------------------------------------------------------

namespace {
const npu::Acl& open_simulator() {
  const npu::Acl& acl = npu::acl();
  check(acl.mtsim_set_faults && acl.mtsim_counters && acl.mtsim_reset_counters && acl.mtsim_race,
        "the loaded NPU library is not the simulator");
  return acl;
}
}  // namespace

int32_t mt_npu_is_simulator(void) {
  const npu::Acl* acl = npu::loaded_acl();
  return acl && acl->mtsim_set_faults;
}
mt_status* mt_npu_simulator_faults(const char* faults) {
  return guard([&] {
    require_not_null(faults, "faults");
    check(open_simulator().mtsim_set_faults(faults) == acl::success, ErrorKind::value, "not a list of faults: {}", faults);
  });
}
mt_status* mt_npu_simulator_counters(mt_npu_figure_fn visit, void* user) {
  return guard([&] {
    require_not_null(reinterpret_cast<const void*>(visit), "visit");
    struct Visit {
      mt_npu_figure_fn visit;
      void* user;
      mt_status* status = nullptr;
    } all{visit, user};
    open_simulator().mtsim_counters(
        [](void* state, const char* name, int64_t value) {
          auto& v = *static_cast<Visit*>(state);
          if (!v.status) v.status = v.visit(v.user, name, value);
        },
        &all);
    rethrow_status(all.status);
  });
}
mt_status* mt_npu_simulator_reset_counters(void) {
  return guard([] { open_simulator().mtsim_reset_counters(); });
}
const char* mt_npu_simulator_race(void) { return mt_npu_is_simulator() ? npu::loaded_acl()->mtsim_race() : ""; }
