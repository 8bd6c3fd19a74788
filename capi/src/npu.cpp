// NPUs without a backend: every function that needs a device says that there is none.
#include "convert.h"

using namespace mt;
using namespace mt::capi;

namespace {
mt_status* no_npu() {
  return guard([] { fail(ErrorKind::assertion, "Torch not compiled with NPU enabled"); });
}
}  // namespace

mt_status* mt_npu_load(const char*) { return no_npu(); }
const char* mt_npu_library() { return nullptr; }
int32_t mt_npu_is_initialized() { return 0; }
int32_t mt_npu_in_bad_fork() { return 0; }
mt_status* mt_npu_device_count(int32_t* out) {
  return guard([&] {
    need(out, "out");
    *out = 0;
  });
}
mt_status* mt_npu_get_device(int32_t*) { return no_npu(); }
mt_status* mt_npu_set_device(int32_t) { return no_npu(); }
mt_status* mt_npu_get_properties(int32_t, mt_npu_properties*) { return no_npu(); }
mt_status* mt_npu_can_access_peer(int32_t, int32_t, int32_t*) { return no_npu(); }
mt_status* mt_npu_memory_info(int32_t, int64_t*, int64_t*) { return no_npu(); }
mt_status* mt_npu_synchronize(int32_t) { return no_npu(); }
mt_status* mt_npu_stream_new(int32_t, int32_t, int64_t*) { return no_npu(); }
mt_status* mt_npu_stream_from_handle(int32_t, void*, int64_t*) { return no_npu(); }
mt_status* mt_npu_stream_handle(int32_t, int64_t, void**) { return no_npu(); }
mt_status* mt_npu_stream_priority(int32_t, int64_t, int32_t*) { return no_npu(); }
mt_status* mt_npu_stream_get(int32_t, int64_t*) { return no_npu(); }
mt_status* mt_npu_stream_set(int32_t, int64_t) { return no_npu(); }
mt_status* mt_npu_stream_query(int32_t, int64_t, int32_t*) { return no_npu(); }
mt_status* mt_npu_stream_synchronize(int32_t, int64_t) { return no_npu(); }
mt_status* mt_npu_stream_is_capturing(int32_t, int64_t, int32_t*) { return no_npu(); }
mt_status* mt_npu_stream_call(int32_t, int64_t, void (*)(void* user), void*) { return no_npu(); }
mt_status* mt_npu_event_create(int32_t, mt_npu_event**) { return no_npu(); }
void mt_npu_event_retain(mt_npu_event*) {}
void mt_npu_event_release(mt_npu_event*) {}
mt_status* mt_npu_event_record(mt_npu_event*, int32_t, int64_t) { return no_npu(); }
mt_status* mt_npu_event_query(const mt_npu_event*, int32_t*) { return no_npu(); }
mt_status* mt_npu_event_synchronize(const mt_npu_event*) { return no_npu(); }
mt_status* mt_npu_event_wait(const mt_npu_event*, int32_t, int64_t) { return no_npu(); }
mt_status* mt_npu_event_elapsed(const mt_npu_event*, const mt_npu_event*, double*) { return no_npu(); }
mt_status* mt_npu_event_device(const mt_npu_event*, int32_t*) { return no_npu(); }
mt_status* mt_npu_event_handle(const mt_npu_event*, void**) { return no_npu(); }
mt_status* mt_npu_allocate(int32_t, int64_t, int64_t, void**) { return no_npu(); }
mt_status* mt_npu_free(void*) { return no_npu(); }
mt_status* mt_npu_record_stream(const mt_tensor*, int64_t) { return no_npu(); }
mt_status* mt_npu_empty_cache() { return no_npu(); }
mt_status* mt_npu_memory_stats(int32_t, mt_npu_figure_fn, void*) { return no_npu(); }
mt_status* mt_npu_memory_reset_peak(int32_t) { return no_npu(); }
mt_status* mt_npu_memory_reset_accumulated(int32_t) { return no_npu(); }
mt_status* mt_npu_memory_fraction_get(int32_t, double*) { return no_npu(); }
mt_status* mt_npu_memory_fraction_set(int32_t, double) { return no_npu(); }
mt_status* mt_npu_allocator_settings(const char*) { return no_npu(); }
mt_status* mt_npu_memory_snapshot(mt_status* (*)(void*, const mt_npu_segment* segment), void*) { return no_npu(); }
mt_status* mt_npu_pinned_storage(int64_t, mt_storage**) { return no_npu(); }
mt_status* mt_npu_is_pinned(const mt_storage*, int32_t*) { return no_npu(); }
mt_status* mt_npu_host_memory_stats(mt_npu_figure_fn, void*) { return no_npu(); }
mt_status* mt_npu_host_memory_reset_peak() { return no_npu(); }
mt_status* mt_npu_host_memory_reset_accumulated() { return no_npu(); }
mt_status* mt_npu_host_empty_cache() { return no_npu(); }
mt_status* mt_npu_generator_default(int32_t, mt_generator**) { return no_npu(); }
mt_status* mt_npu_generator_get_offset(const mt_generator*, uint64_t*) { return no_npu(); }
mt_status* mt_npu_generator_set_offset(mt_generator*, uint64_t) { return no_npu(); }
mt_status* mt_npu_graph_create(mt_npu_graph**) { return no_npu(); }
void mt_npu_graph_release(mt_npu_graph*) {}
mt_status* mt_npu_graph_capture_begin(mt_npu_graph*, int64_t, int64_t, int32_t) { return no_npu(); }
mt_status* mt_npu_graph_capture_end(mt_npu_graph*) { return no_npu(); }
mt_status* mt_npu_graph_replay(mt_npu_graph*) { return no_npu(); }
mt_status* mt_npu_graph_reset(mt_npu_graph*) { return no_npu(); }
mt_status* mt_npu_graph_pool(const mt_npu_graph*, int64_t*, int64_t*) { return no_npu(); }
mt_status* mt_npu_graph_pool_new(int64_t*, int64_t*) { return no_npu(); }
mt_status* mt_npu_kernel_name(const mt_op*, const char**) { return no_npu(); }
int32_t mt_npu_is_simulator() { return 0; }
mt_status* mt_npu_simulator_faults(const char*) { return no_npu(); }
mt_status* mt_npu_simulator_counters(mt_npu_figure_fn, void*) { return no_npu(); }
mt_status* mt_npu_simulator_reset_counters() { return no_npu(); }
const char* mt_npu_simulator_race() { return ""; }
