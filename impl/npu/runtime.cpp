// Devices, streams and events over ACL.
#include "npu/runtime.h"

#include <unistd.h>

#include <deque>

#include "core/error.h"
#include "core/messages.h"

namespace mt::npu {
namespace {

struct Device {
  std::once_flag ready;
  std::mutex mutex;            // guards `streams`
  std::deque<Stream> streams;  // by id; never freed, so references stay valid
  int next[2] = {0, 0};        // next stream in the pool of each priority
};
Device& device_at(int index) {
  static Device* const devices = new Device[max_devices];  // never freed: streams are used until the process ends
  return devices[index];
}
std::atomic<bool> initialized = false;
std::atomic<pid_t> owner = 0;  // the process that first used a device

struct ThreadDevices {
  int device = 0;
  int bound = -1;  // the device last set in the vendor's library on this thread
  int64_t streams[max_devices] = {};
};
thread_local constinit ThreadDevices thread_devices;

constexpr uint32_t fast_sync = 2;  // ACL_STREAM_FAST_SYNC

aclrtStream create_stream(int priority) {
  aclrtStream handle = nullptr;
  // Maps torch's priorities, of which lower ones are higher, to ACL's, whose highest is 0.
  MT_ACL(aclrtCreateStreamWithConfig, &handle, uint32_t(priority < 0 ? 0 : 1), fast_sync);
  return handle;
}

void initialize_device(int device) {
  check(!in_bad_fork(),
        "Cannot re-initialize NPU in forked subprocess. To use NPU with multiprocessing, you must use the 'spawn' start method");
  std::call_once(device_at(device).ready, [&] {
    MT_ACL(aclrtSetDevice, device);
    Device& d = device_at(device);
    std::lock_guard lock(d.mutex);
    d.streams.push_back({device, 0, 0, create_stream(0)});
    owner = getpid();
    initialized = true;
  });
}

}  // namespace

int device_count() {
  if (in_bad_fork()) return 0;
  static std::atomic<int> known = -1;  // the number of devices does not change
  if (known >= 0) return known;
  if (!try_load_acl_library()) return 0;
  uint32_t count = 0;
  MT_ACL(aclrtGetDeviceCount, &count);
  known = int(count) < max_devices ? int(count) : max_devices;
  return known;
}
bool is_initialized() noexcept { return initialized && !in_bad_fork(); }
bool in_bad_fork() noexcept { return owner != 0 && owner != getpid(); }

int current_device() { return thread_devices.device; }

int checked_device(int device) {
  acl();
  if (device == -1) device = thread_devices.device;
  const int count = device_count();
  check(count > 0 || in_bad_fork(), "No NPU devices are available");
  check(device >= 0 && (device < count || in_bad_fork()), messages::npu_error_invalid_device_ordinal);
  return device;
}

void use_device(int device) {
  if (thread_devices.bound == device && !in_bad_fork()) return;
  checked_device(device);
  initialize_device(device);
  MT_ACL(aclrtSetDevice, device);
  thread_devices.bound = device;
}

void set_current_device(int device) {
  device = checked_device(device);
  use_device(device);
  thread_devices.device = device;
}
// Only records the old device, which cannot fail; the next use of the device reports any error.
DeviceScope::~DeviceScope() { thread_devices.device = old_; }

void synchronize_device(int device) {
  device = checked_device(device);
  use_device(device);
  MT_ACL(aclrtSynchronizeDevice);
}

const Stream& stream_of(int device, int64_t id) {
  device = checked_device(device);
  use_device(device);
  Device& d = device_at(device);
  std::lock_guard lock(d.mutex);
  check(id >= 0 && id < int64_t(d.streams.size()), "NPU error: stream {} does not exist on device {}", id, device);
  return d.streams[size_t(id)];
}

const Stream& current_stream(int device) {
  if (device == -1) device = thread_devices.device;
  return stream_of(device, thread_devices.streams[checked_device(device)]);
}

void set_current_stream(int device, int64_t id) {
  const Stream& stream = stream_of(device, id);
  thread_devices.streams[stream.device] = stream.id;
}

const Stream& new_stream(int device, int priority) {
  device = checked_device(device);
  use_device(device);
  Device& d = device_at(device);
  const int pool = priority < 0;
  std::lock_guard lock(d.mutex);
  const int turn = d.next[pool]++ % streams_per_pool;
  int seen = 0;
  for (const Stream& stream : d.streams)
    if (stream.id && stream.priority == -pool && seen++ == turn) return stream;
  d.streams.push_back({device, int64_t(d.streams.size()), -pool, create_stream(-pool)});
  return d.streams.back();
}

const Stream& external_stream(int device, aclrtStream handle) {
  device = checked_device(device);
  use_device(device);
  Device& d = device_at(device);
  std::lock_guard lock(d.mutex);
  for (const Stream& stream : d.streams)
    if (stream.handle == handle) return stream;
  constexpr int external_priority = 1;  // not in the pools
  d.streams.push_back({device, int64_t(d.streams.size()), external_priority, handle});
  return d.streams.back();
}

bool query_stream(const Stream& stream) {
  use_device(stream.device);
  int32_t status = acl::stream_not_ready;
  MT_ACL(aclrtStreamQuery, stream.handle, &status);
  return status == acl::stream_complete;
}
void synchronize_stream(const Stream& stream) {
  use_device(stream.device);
  MT_ACL(aclrtSynchronizeStream, stream.handle);
}
bool is_capturing(const Stream& stream) {
  if (!acl().aclmdlRICaptureGetInfo) return false;
  int32_t status = acl::capture_none;
  aclmdlRI model = nullptr;
  MT_ACL(aclmdlRICaptureGetInfo, stream.handle, &status, &model);
  return status != acl::capture_none;
}

// ---- events ----

Event::~Event() {
  // A destructor cannot report a failure. In a forked child the event belongs to the parent and is not destroyed.
  if (handle_ && !in_bad_fork()) acl().aclrtDestroyEvent(handle_);
}

void Event::record(const Stream& stream) {
  check(device_ < 0 || device_ == stream.device, "Event device {} does not match recording stream's device {}.", device_, stream.device);
  use_device(stream.device);
  if (!handle_) {
    MT_ACL(aclrtCreateEventExWithFlag, &handle_, timing_ ? acl::event_time_line | acl::event_sync : acl::event_sync);
    device_ = stream.device;
  }
  MT_ACL(aclrtRecordEvent, handle_, stream.handle);
}

bool Event::query() const {
  if (!handle_) return true;
  use_device(device_);
  int32_t status = acl::event_not_ready;
  MT_ACL(aclrtQueryEventStatus, handle_, &status);
  return status == acl::event_complete;
}

void Event::synchronize() const {
  if (!handle_) return;
  use_device(device_);
  MT_ACL(aclrtSynchronizeEvent, handle_);
}

void Event::wait(const Stream& stream) const {
  if (!handle_) return;
  use_device(stream.device);
  MT_ACL(aclrtStreamWaitEvent, stream.handle, handle_);
}

double Event::elapsed_to(const Event& end) const {
  check(handle_ && end.handle_, ErrorKind::value, "Both events must be recorded before calculating elapsed time.");
  check(timing_ && end.timing_, ErrorKind::value, "Both events must be created with argument 'enable_timing=True'.");
  check(query() && end.query(), "Both events must be completed before calculating elapsed time.");
  use_device(device_);
  float milliseconds = 0;
  MT_ACL(aclrtEventElapsedTime, &milliseconds, handle_, end.handle_);
  return milliseconds;
}

}  // namespace mt::npu
