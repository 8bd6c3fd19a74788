// The simulator's aclrt entry points: devices, streams, events, memory, copies, graphs, and its own functions for faults and counters.
#include <chrono>
#include <cstring>

#include "npu_sim/simulator.h"

#define MT_EXPORT extern "C" __attribute__((visibility("default")))

using namespace mt;
using namespace mt::npu_sim;

namespace {

thread_local int thread_device = -1;

// Every call that can fail checks the injected faults first.
#define MT_ENTER(call) \
  if (const aclError fault = enter(#call); fault != acl::success) return fault

aclError refuse_argument(const char* what) {
  set_error_text(what);
  return acl::error_rt_param_invalid;
}
aclError fail_lost_device() {
  set_error_text("the device is lost");
  return acl::error_rt_lost_heartbeat;
}
Stream* stream_of(aclrtStream handle) { return handle && is_stream(handle) ? static_cast<Stream*>(handle) : nullptr; }
std::shared_ptr<npu_sim::Event>& event_of(aclrtEvent handle) { return *static_cast<std::shared_ptr<npu_sim::Event>*>(handle); }
// The stream and the event of two handles; both null if one handle is invalid.
std::pair<Stream*, std::shared_ptr<npu_sim::Event>> stream_and_event(aclrtStream stream_handle, aclrtEvent handle) {
  Stream* stream = stream_of(stream_handle);
  if (!stream || !handle) return {};
  return {stream, event_of(handle)};
}

int64_t nanoseconds_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

MT_EXPORT aclError aclInit(const char*) { return acl::success; }
MT_EXPORT const char* aclGetRecentErrMsg() { return error_text(); }
MT_EXPORT const char* aclrtGetSocName() { return "Ascend910Sim"; }

// ---- devices ----

MT_EXPORT aclError aclrtGetDeviceCount(uint32_t* out) {
  MT_ENTER(aclrtGetDeviceCount);
  *out = uint32_t(device_count());
  return acl::success;
}
MT_EXPORT aclError aclrtSetDevice(int32_t device) {
  MT_ENTER(aclrtSetDevice);
  if (device < 0 || device >= device_count()) {
    set_error_text("no such device");
    return acl::error_rt_invalid_device;
  }
  if (is_lost(device)) return fail_lost_device();
  thread_device = device;
  return acl::success;
}
MT_EXPORT aclError aclrtGetMemInfo(int32_t, size_t* free, size_t* total) {
  MT_ENTER(aclrtGetMemInfo);
  if (thread_device < 0) return refuse_argument("no device is set");
  memory_info(thread_device, free, total);
  return acl::success;
}
MT_EXPORT aclError aclrtGetDeviceInfo(uint32_t device, int32_t attribute, int64_t* value) {
  MT_ENTER(aclrtGetDeviceInfo);
  if (int(device) >= device_count()) return refuse_argument("no such device");
  size_t free = 0, total = 0;
  memory_info(int(device), &free, &total);
  switch (attribute) {
    case acl::attribute_cube_cores: *value = 24; return acl::success;
    case acl::attribute_vector_cores: *value = 48; return acl::success;
    case acl::attribute_total_memory: *value = int64_t(total); return acl::success;
    case acl::attribute_l2_size: *value = int64_t(192) << 20; return acl::success;
    default: return refuse_argument("unknown attribute");
  }
}
MT_EXPORT aclError aclrtDeviceCanAccessPeer(int32_t* can, int32_t device, int32_t peer) {
  MT_ENTER(aclrtDeviceCanAccessPeer);
  *can = device != peer;
  return acl::success;
}
MT_EXPORT aclError aclrtSynchronizeDevice() {
  MT_ENTER(aclrtSynchronizeDevice);
  if (thread_device < 0) return refuse_argument("no device is set");
  const aclError error = wait_for_device(thread_device);
  return is_lost(thread_device) ? fail_lost_device() : error;
}

// ---- streams ----

MT_EXPORT aclError aclrtCreateStreamWithConfig(aclrtStream* out, uint32_t, uint32_t) {
  MT_ENTER(aclrtCreateStreamWithConfig);
  if (thread_device < 0) return refuse_argument("no device is set");
  if (is_lost(thread_device)) return fail_lost_device();
  *out = create_stream(thread_device);
  return acl::success;
}
MT_EXPORT aclError aclrtSynchronizeStream(aclrtStream handle) {
  MT_ENTER(aclrtSynchronizeStream);
  Stream* stream = stream_of(handle);
  if (!stream) return refuse_argument("not a stream");
  const aclError error = wait_for(*stream);
  return is_lost(stream->device) ? fail_lost_device() : error;
}
MT_EXPORT aclError aclrtStreamQuery(aclrtStream handle, int32_t* status) {
  MT_ENTER(aclrtStreamQuery);
  Stream* stream = stream_of(handle);
  if (!stream) return refuse_argument("not a stream");
  *status = is_idle(*stream) ? acl::stream_complete : acl::stream_not_ready;
  return acl::success;
}
MT_EXPORT aclError aclrtStreamAbort(aclrtStream handle) {
  MT_ENTER(aclrtStreamAbort);
  Stream* stream = stream_of(handle);
  if (!stream) return refuse_argument("not a stream");
  abort_stream(*stream);
  return acl::success;
}
MT_EXPORT aclError aclrtLaunchHostFunc(aclrtStream handle, aclrtHostFunc function, void* argument) {
  MT_ENTER(aclrtLaunchHostFunc);
  Stream* stream = stream_of(handle);
  if (!stream || !function) return refuse_argument("not a stream, or no function");
  return submit(*stream, {"host function", [=] { return function(argument), acl::success; }, {}});
}

// ---- events ----

MT_EXPORT aclError aclrtCreateEventExWithFlag(aclrtEvent* out, uint32_t) {
  MT_ENTER(aclrtCreateEventExWithFlag);
  *out = new std::shared_ptr<npu_sim::Event>(std::make_shared<npu_sim::Event>());
  return acl::success;
}
MT_EXPORT aclError aclrtDestroyEvent(aclrtEvent handle) {
  delete static_cast<std::shared_ptr<npu_sim::Event>*>(handle);  // pending tasks share ownership
  return acl::success;
}
MT_EXPORT aclError aclrtRecordEvent(aclrtEvent handle, aclrtStream stream_handle) {
  MT_ENTER(aclrtRecordEvent);
  const auto [stream, event] = stream_and_event(stream_handle, handle);
  if (!stream) return refuse_argument("not a stream, or no event");
  uint64_t generation = 0;
  {
    std::scoped_lock lock(stream->mutex, event->mutex);
    event->graph = stream->graph;
    if (event->graph) return acl::success;  // within a graph, tasks are ordered already
    merge(stream->clock, host_clock());
    event->clock = stream->clock;
    generation = ++event->recorded;
  }
  return submit(*stream, {"event record",
                          [stream, event, generation] {
                            aclError error = acl::success;
                            std::string text;
                            {
                              std::lock_guard lock(stream->mutex);
                              error = stream->error;
                              text = stream->error_text;
                            }
                            std::lock_guard lock(event->mutex);
                            event->done = std::max(event->done, generation);
                            event->error = error;
                            event->error_text = text;
                            event->nanoseconds = nanoseconds_now();
                            event->done_changed.notify_all();
                            return acl::success;
                          },
                          {}});
}
MT_EXPORT aclError aclrtQueryEventStatus(aclrtEvent handle, int32_t* status) {
  MT_ENTER(aclrtQueryEventStatus);
  if (!handle) return refuse_argument("no event");
  npu_sim::Event& event = *event_of(handle);
  Clock clock;
  {
    std::lock_guard lock(event.mutex);
    const bool done = event.done >= event.recorded;
    *status = done ? acl::event_complete : acl::event_not_ready;
    if (done) clock = event.clock;
  }
  add_to_host_clock(clock);
  return acl::success;
}
MT_EXPORT aclError aclrtSynchronizeEvent(aclrtEvent handle) {
  MT_ENTER(aclrtSynchronizeEvent);
  if (!handle) return refuse_argument("no event");
  npu_sim::Event& event = *event_of(handle);
  Clock clock;
  {
    std::unique_lock lock(event.mutex);
    const uint64_t generation = event.recorded;
    event.done_changed.wait(lock, [&] { return event.done >= generation; });
    clock = event.clock;
  }
  add_to_host_clock(clock);
  return acl::success;
}
MT_EXPORT aclError aclrtStreamWaitEvent(aclrtStream stream_handle, aclrtEvent handle) {
  MT_ENTER(aclrtStreamWaitEvent);
  const auto [stream, event] = stream_and_event(stream_handle, handle);
  if (!stream) return refuse_argument("not a stream, or no event");
  uint64_t generation = 0;
  std::shared_ptr<Graph> graph;
  {
    std::scoped_lock lock(stream->mutex, event->mutex);
    generation = event->recorded;
    graph = event->graph;
    if (!graph) merge(stream->clock, event->clock);
  }
  if (graph) {
    join_capture(*stream, graph);
    return acl::success;
  }
  return submit(*stream,
                {"event wait",
                 [stream, event, generation] {
                   std::unique_lock lock(event->mutex);
                   while (!event->done_changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return event->done >= generation; }))
                     if (stream->stopping) return acl::success;  // the stream that records it has stopped
                   const aclError error = event->error;
                   const std::string text = event->error_text;
                   lock.unlock();
                   set_error(*stream, error, text);  // work that depends on failed work fails
                   return acl::success;
                 },
                 {}});
}
MT_EXPORT aclError aclrtEventElapsedTime(float* milliseconds, aclrtEvent start, aclrtEvent end) {
  MT_ENTER(aclrtEventElapsedTime);
  if (!start || !end) return refuse_argument("no event");
  auto time_of = [](npu_sim::Event& event) {
    std::lock_guard lock(event.mutex);
    return event.nanoseconds;
  };
  *milliseconds = float(double(time_of(*event_of(end)) - time_of(*event_of(start))) * 1e-6);
  return acl::success;
}

// ---- memory ----

MT_EXPORT aclError aclrtMalloc(void** out, size_t size, int32_t) {
  MT_ENTER(aclrtMalloc);
  if (thread_device < 0 || size == 0) return refuse_argument("no device is set, or no bytes");
  return is_lost(thread_device) ? fail_lost_device() : allocate(thread_device, size, out);
}
MT_EXPORT aclError aclrtFree(void* pointer) {
  MT_ENTER(aclrtFree);
  if (!pointer) return acl::success;
  // Waits for the device, since queued work may use the memory. An error of that work is reported by the next call that synchronises.
  if (const int device = device_of(pointer); device >= 0) wait_for_device(device);
  return release(pointer);
}
MT_EXPORT aclError aclrtMallocHost(void** out, size_t size) {
  MT_ENTER(aclrtMallocHost);
  return allocate_host(size, out);
}
MT_EXPORT aclError aclrtFreeHost(void* pointer) {
  MT_ENTER(aclrtFreeHost);
  return release_host(pointer);
}

MT_EXPORT aclError aclrtMemcpyAsync(void* target, size_t room, const void* source, size_t count, int32_t kind, aclrtStream handle) {
  MT_ENTER(aclrtMemcpyAsync);
  Stream* stream = stream_of(handle);
  if (!stream || count > room) return refuse_argument("not a stream, or more bytes than there is room for");
  const bool to_device = kind == acl::memcpy_host_to_device || kind == acl::memcpy_device_to_device;
  const bool from_device = kind == acl::memcpy_device_to_host || kind == acl::memcpy_device_to_device;
  char* to = to_device ? host_view(target) : static_cast<char*>(target);
  const char* from = from_device ? host_view(source) : static_cast<const char*>(source);
  if (!to || !from || (!to_device && host_view(target)) || (!from_device && host_view(source)))
    return refuse_argument("the kind of the copy does not fit its pointers");
  Counters& c = counters();
  auto count_copy = [&](std::atomic<int64_t>& copies, std::atomic<int64_t>& bytes) { ++copies, bytes += int64_t(count); };
  if (kind == acl::memcpy_host_to_device) count_copy(c.host_to_device, c.bytes_host_to_device);
  if (kind == acl::memcpy_device_to_host) count_copy(c.device_to_host, c.bytes_device_to_host);
  if (kind == acl::memcpy_device_to_device) count_copy(c.device_to_device, c.bytes_device_to_device);
  const char *t = static_cast<const char*>(target), *s = static_cast<const char*>(source);
  return submit(*stream, {"aclrtMemcpyAsync",
                          [=] { return std::memmove(to, from, count), acl::success; },
                          {{t, t + count, true}, {s, s + count, false}}});
}

// ---- graphs ----

MT_EXPORT aclError aclmdlRICaptureBegin(aclrtStream handle, int32_t) {
  MT_ENTER(aclmdlRICaptureBegin);
  Stream* stream = stream_of(handle);
  return stream ? begin_capture(*stream) : refuse_argument("not a stream");
}
MT_EXPORT aclError aclmdlRICaptureGetInfo(aclrtStream handle, int32_t* status, aclmdlRI* model) {
  MT_ENTER(aclmdlRICaptureGetInfo);
  Stream* stream = stream_of(handle);
  if (!stream) return refuse_argument("not a stream");
  std::lock_guard lock(stream->mutex);
  *status = stream->graph ? acl::capture_active : acl::capture_none;
  if (model) *model = stream->graph.get();
  return acl::success;
}
MT_EXPORT aclError aclmdlRICaptureEnd(aclrtStream handle, aclmdlRI* model) {
  Stream* stream = stream_of(handle);
  if (!stream) return refuse_argument("not a stream");
  std::shared_ptr<Graph> graph = end_capture(*stream);  // also if a fault is injected: the stream must not stay in capture
  MT_ENTER(aclmdlRICaptureEnd);
  if (!graph) return refuse_argument("the stream is not captured");
  *model = new std::shared_ptr<Graph>(std::move(graph));
  return acl::success;
}
MT_EXPORT aclError aclmdlRIExecuteAsync(aclmdlRI model, aclrtStream handle) {
  MT_ENTER(aclmdlRIExecuteAsync);
  Stream* stream = stream_of(handle);
  if (!stream || !model) return refuse_argument("not a stream, or no graph");
  return replay(**static_cast<std::shared_ptr<Graph>*>(model), *stream);
}
MT_EXPORT aclError aclmdlRIDestroy(aclmdlRI model) {
  delete static_cast<std::shared_ptr<Graph>*>(model);
  return acl::success;
}

// ---- the simulator's own functions ----

MT_EXPORT aclError mtsim_set_faults(const char* faults) { return set_faults(faults); }
MT_EXPORT const char* mtsim_race() {
  static thread_local std::string text;
  text = first_race();
  return text.c_str();
}
MT_EXPORT void mtsim_counters(void (*visit)(void* user, const char* name, int64_t value), void* user) {
  Counters& c = counters();
  visit(user, "copies.host_to_device", c.host_to_device);
  visit(user, "copies.device_to_host", c.device_to_host);
  visit(user, "copies.device_to_device", c.device_to_device);
  visit(user, "bytes.host_to_device", c.bytes_host_to_device);
  visit(user, "bytes.device_to_host", c.bytes_device_to_host);
  visit(user, "bytes.device_to_device", c.bytes_device_to_device);
  visit(user, "kernels", c.kernels);
  visit(user, "launches", c.launches);
  visit(user, "allocations", c.allocations);
  visit(user, "frees", c.frees);
  visit(user, "live_allocations", c.live_allocations);
  visit(user, "races", c.races);
  visit(user, "faults", c.faults);
}
MT_EXPORT void mtsim_reset_counters() {
  Counters& c = counters();
  for (std::atomic<int64_t>* counter :
       {&c.host_to_device, &c.device_to_host, &c.device_to_device, &c.bytes_host_to_device, &c.bytes_device_to_host,
        &c.bytes_device_to_device, &c.kernels, &c.launches, &c.allocations, &c.frees, &c.races, &c.faults})
    *counter = 0;  // the count of live allocations is kept
  reset_races();
}
