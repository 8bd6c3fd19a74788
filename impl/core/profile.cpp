// The profiler's recording: events in the order in which they begin, and allocations while it records memory.
#include "core/profile.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "core/error.h"

namespace mt {

thread_local constinit ProfileThread profile_thread;
thread_local constinit int32_t own_thread_number = 0;

namespace {

constexpr int serial_shift = 40;  // of a token: the lower bits are the number of an event of one recording

int64_t read_clock() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

struct RecordedAllocations {
  std::mutex mutex;
  std::unordered_map<void*, int64_t> sizes;  // of blocks allocated while memory is recorded
  int64_t total = 0;
};
RecordedAllocations& recorded_allocations() {
  static RecordedAllocations* k = new RecordedAllocations();
  return *k;
}

ProfileEvent& add_event(int32_t kind, const Operator* op, std::string name) {
  Profile& p = *profile_thread.profile;
  ProfileEvent& event = p.events.emplace_back(ProfileEvent{{}, op, std::move(name), p.inputs.size()});
  event.seen.kind = kind;
  event.seen.thread = thread_number();
  static thread_local const int32_t system_thread = int32_t(syscall(SYS_gettid));
  event.seen.system_thread = system_thread;
  event.seen.parent = profile_thread.open;
  event.seen.sequence_nr = -1;
  return event;
}

}  // namespace

int32_t assign_thread_number() {
  static std::atomic<int32_t> last{0};
  return own_thread_number = ++last;
}

void start_profile(const mt_profiler_options& options) {
  static std::atomic<int64_t> last{0};
  check(!profile_thread.profile, "Profiler is already enabled on this thread.");
  profile_thread = {new Profile{options, ++last, {}, {}, {}}, -1};
  thread_state.included |= profiling;
}

Profile* stop_profile() {
  thread_state.included &= ~profiling;
  Profile* profile = std::exchange(profile_thread, {}).profile;
  if (!profile) return nullptr;
  const int64_t end = read_clock();
  for (ProfileEvent& event : profile->events)
    if (!event.seen.end) event.seen.end = end;
  return profile;
}

ProfileEvent& open_range() { return profile_thread.profile->events[size_t(profile_thread.open)]; }

int64_t begin_range(int32_t kind, const Operator* op, std::string name, int64_t sequence_nr, int32_t forward_thread) {
  ProfileThread& here = profile_thread;
  if (!here.profile) return -1;  // the recording stopped inside a scope that restores the thread's keys
  ProfileEvent& event = add_event(kind, op, std::move(name));
  event.seen.sequence_nr = sequence_nr;
  event.seen.forward_thread = forward_thread;
  here.open = int64_t(here.profile->events.size()) - 1;
  event.seen.start = read_clock();
  return here.profile->serial << serial_shift | here.open;
}

void end_range(int64_t token) {
  ProfileThread& here = profile_thread;
  if (!here.profile || here.profile->serial != token >> serial_shift) return;  // the recording stopped and ended the range
  ProfileEvent& event = here.profile->events[size_t(token & ((int64_t(1) << serial_shift) - 1))];
  event.seen.end = read_clock();
  // The innermost open range may have ended before: continues with the first parent that has not.
  while (here.open >= 0 && open_range().seen.end) here.open = open_range().seen.parent;
}

void record_memory(void* address, int64_t bytes, bool is_freed) {
  if (!profile_thread.profile || !profile_thread.profile->options.profile_memory || !address || !bytes) return;
  RecordedAllocations& k = recorded_allocations();
  int64_t total;
  {
    std::lock_guard lock(k.mutex);
    if (is_freed) {
      if (!k.sizes.erase(address)) return;
      bytes = -bytes;
    } else {
      k.sizes[address] = bytes;
    }
    total = k.total += bytes;
  }
  ProfileEvent& event = add_event(MT_PROFILE_MEMORY, nullptr, "[memory]");
  event.seen.bytes = bytes;
  event.seen.total_bytes = total;
  event.seen.address = reinterpret_cast<uintptr_t>(address);
  event.seen.start = event.seen.end = read_clock();
}

}  // namespace mt
