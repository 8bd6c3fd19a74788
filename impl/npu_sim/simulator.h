// The simulator's state: devices with memory of their own, streams with a worker each, events, faults, counters and races.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "npu/acl.h"

namespace mt::npu_sim {

inline constexpr int max_devices = 16;

// ---- faults and counters ----

struct Counters {
  std::atomic<int64_t> host_to_device, device_to_host, device_to_device, bytes_host_to_device, bytes_device_to_host, bytes_device_to_device,
      kernels, launches, allocations, frees, live_allocations, races, faults;
};
Counters& counters();

// Returns the code of a fault that was injected for this call (`otherwise` if the fault names none), or success. Every call that can fail
// starts with it.
aclError enter(const char* call, aclError otherwise = acl::error_rt_aicore_exception);
aclError set_faults(const char* text);  // error_invalid_param if the text is invalid
int64_t memory_end();                   // bytes per device
int64_t task_delay();                   // microseconds
// For a stream's worker: the code with which the next task of this device ends.
aclError task_fault(int device);
bool is_lost(int device);
// The injected fault of this process's next collective.
enum class CollectiveFault { none, leaves, stalls };
CollectiveFault collective_fault();
void set_error_text(std::string text);  // of the calling thread
const char* error_text();

// ---- memory ----

int device_count();
aclError allocate(int device, size_t size, void** out);
aclError release(void* pointer);
// Where the host may access device memory; nullptr for other memory.
char* host_view(const void* device_pointer);
aclError allocate_host(size_t size, void** out);
aclError release_host(void* pointer);
void memory_info(int device, size_t* free, size_t* total);
// The device that owns the memory, to describe a pointer in error messages.
int device_of(const void* device_pointer);  // -1: none

// ---- happens-before, in submission order ----

using Clock = std::vector<uint64_t>;
void merge(Clock& into, const Clock& from);

struct Access {
  const char* begin;
  const char* end;
  bool writes;
};
// Records a task's accesses; counts a race if another stream accessed the same bytes and no event orders the two.
void record_accesses(int stream, Clock& clock, const std::string& task, const std::vector<Access>& accesses);
void forget_accesses(const char* begin, const char* end);
std::string first_race();
void reset_races();
// Adds to the host's clock what it has waited for, so that tasks submitted later are ordered after that work.
void add_to_host_clock(const Clock& clock);
Clock host_clock();

// ---- streams, events, graphs ----

struct Task {
  std::string name;
  std::function<aclError()> work;
  std::vector<Access> accesses;
};
struct Graph {
  std::vector<Task> tasks;  // in order of submission, which a replay follows
};
struct Event {
  std::mutex mutex;
  std::condition_variable done_changed;
  uint64_t recorded = 0, done = 0;  // generations
  int64_t nanoseconds = 0;
  aclError error = acl::success;  // of the recorded stream; waiting streams inherit it
  std::string error_text;
  Clock clock;
  std::shared_ptr<Graph> graph;  // set if it was recorded during this capture
};
struct Stream {
  int device = 0, index = 0;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> queue;
  bool busy = false;
  std::atomic<bool> stopping = false;
  std::atomic<uint64_t> aborts = 0;
  aclError error = acl::success;  // kept until the device is healed
  std::string error_text;
  Clock clock;
  std::shared_ptr<Graph> graph;  // set during a capture
  std::thread worker;
};
Stream* create_stream(int device);
bool is_stream(const void* handle);
aclError submit(Stream& stream, Task task);
aclError wait_for(Stream& stream);  // until idle; returns its error
bool is_idle(Stream& stream);
aclError wait_for_device(int device);
void restart_aborted_streams();
void set_error(Stream& stream, aclError error, const std::string& text);  // keeps an earlier error
// Ends the running collective with an error, and drops queued tasks.
void abort_stream(Stream& stream);
aclError begin_capture(Stream& stream);
std::shared_ptr<Graph> end_capture(Stream& stream);
void join_capture(Stream& stream, std::shared_ptr<Graph> graph);
aclError replay(Graph& graph, Stream& stream);

}  // namespace mt::npu_sim
