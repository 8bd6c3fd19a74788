// What a profiled thread records: nested ranges and memory. The dispatcher adds operator calls.
#pragma once

#include <string>
#include <vector>

#include "core/keys.h"
#include "mindtorch/profiler.h"

namespace mt {

struct Operator;

// A bit among the thread's included keys while it records. It is above all real keys and no operator has a handler for it, so that it costs
// nothing while off.
inline constexpr KeySet profiling = KeySet(1) << key_count;
inline bool is_profiling() { return __builtin_expect((thread_state.included & profiling) != 0, 0); }

struct ProfileEvent {
  mt_profile_event seen;  // its pointers are filled in later
  const Operator* op;     // nullptr: see `name`
  std::string name;
  size_t first_input;
};
struct Profile {
  mt_profiler_options options;
  int64_t serial;
  std::vector<ProfileEvent> events;
  std::vector<mt_profile_input> inputs;  // sizes and strides are indices into dims until the event is shown
  std::vector<int64_t> dims;
  ~Profile();  // defined in dispatch/profiler.cpp, which knows how inputs are stored
};
// This thread's running recording, and the index of its innermost open range.
struct ProfileThread {
  Profile* profile = nullptr;
  int64_t open = -1;
};
extern thread_local constinit ProfileThread profile_thread;

// Threads are numbered from 1, in the order in which they first ask for a number.
extern thread_local constinit int32_t own_thread_number;
int32_t assign_thread_number();
inline int32_t thread_number() { return __builtin_expect(own_thread_number != 0, 1) ? own_thread_number : assign_thread_number(); }

void start_profile(const mt_profiler_options& options);
Profile* stop_profile();  // the caller owns it; nullptr if no recording runs

// Begins a range and returns a token for end_range. Stopping the recording ends open ranges.
int64_t begin_range(int32_t kind, const Operator* op, std::string name, int64_t sequence_nr = -1, int32_t forward_thread = 0);
void end_range(int64_t token);
ProfileEvent& open_range();
inline bool records_shapes() { return profile_thread.profile && profile_thread.profile->options.record_shapes; }
void record_memory(void* address, int64_t bytes, bool is_freed);

// Ends the range when the scope is left, also by an exception.
class OpenRange {
 public:
  OpenRange() = default;
  explicit OpenRange(int64_t token) : token_(token) {}
  OpenRange(const OpenRange&) = delete;
  OpenRange& operator=(int64_t token) {
    token_ = token;
    return *this;
  }
  ~OpenRange() {
    if (__builtin_expect(token_ >= 0, 0)) end_range(token_);
  }

 private:
  int64_t token_ = -1;
};

}  // namespace mt
