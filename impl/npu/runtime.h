// Devices, streams and events of NPUs.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "core/object.h"
#include "npu/acl.h"

namespace mt::npu {

inline constexpr int max_devices = 16;
inline constexpr int streams_per_pool = 32;

// ---- devices ----

int device_count();              // 0 without a library
bool is_initialized() noexcept;  // whether a device was used
bool in_bad_fork() noexcept;
int current_device();  // of the calling thread
void set_current_device(int device);
int checked_device(int device);  // -1 means the current one; raises for one that does not exist
// Initialises the device and makes it the vendor's current one for this thread. Must precede every ACL call that depends on a device.
void use_device(int device);
// Uses a device within a scope.
class DeviceScope {
 public:
  explicit DeviceScope(int device) : old_(current_device()) { set_current_device(device); }
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int old_;
};
void synchronize_device(int device);

// ---- streams ----

struct Stream {
  int device;
  int64_t id;
  int priority;
  aclrtStream handle;
  bool operator==(const Stream& other) const { return device == other.device && id == other.id; }
};
const Stream& stream_of(int device, int64_t id);  // raises for one that does not exist
const Stream& current_stream(int device);
void set_current_stream(int device, int64_t id);
const Stream& new_stream(int device, int priority);
const Stream& external_stream(int device, aclrtStream handle);
bool query_stream(const Stream& stream);
void synchronize_stream(const Stream& stream);
bool is_capturing(const Stream& stream);

// ---- events ----

class Event : public Object {
 public:
  explicit Event(bool timing) : Object(Kind::npu_event), timing_(timing) {}
  static void destroy(Event* event) { delete event; }
  ~Event();

  void record(const Stream& stream);
  bool query() const;
  void synchronize() const;
  void wait(const Stream& stream) const;
  double elapsed_to(const Event& end) const;
  int device() const { return device_; }
  aclrtEvent handle() const { return handle_; }

 private:
  bool timing_;
  int device_ = -1;
  aclrtEvent handle_ = nullptr;
};

}  // namespace mt::npu
