// What a thread records while it is profiled: ranges as they nest, and memory. The dispatcher adds the calls of operators.
#pragma once

#include <string>
#include <vector>

#include "core/keys.h"
#include "mindtorch/profiler.h"

namespace mt {

struct Operator;

// Among a thread's included keys while it records. It lies above all keys, and operators have no slot for it: off, it costs nothing.
inline constexpr KeySet profiling = KeySet(1) << key_count;
inline bool is_profiling() { return __builtin_expect((thread_state.included & profiling) != 0, 0); }

struct ProfileEvent {
  mt_profile_event seen;  // without its pointers
  const Operator* op;     // nullptr: `name` says what it is
  std::string name;
  size_t first_input;
};
struct Profile {
  mt_profiler_options options;
  int64_t serial;
  std::vector<ProfileEvent> events;
  std::vector<mt_profile_input> inputs;  // sizes and strides: indices into dims, until they are shown
  std::vector<int64_t> dims;
  ~Profile();  // dispatch/profiler.cpp, which knows what inputs are
};
// The running recording, and its innermost open range.
struct ProfileThread {
  Profile* profile = nullptr;
  int64_t open = -1;
};
extern thread_local constinit ProfileThread profile_thread;

// Threads by the order in which they asked, from 1.
extern thread_local constinit int32_t own_thread_number;
int32_t number_thread();
inline int32_t thread_number() { return __builtin_expect(own_thread_number != 0, 1) ? own_thread_number : number_thread(); }

void start_profile(const mt_profiler_options& options);
Profile* stop_profile();  // the caller's; nullptr where none runs

// A token of the range, for end_range; ends with the recording at the latest.
int64_t begin_range(int32_t kind, const Operator* op, std::string name, int64_t sequence_nr = -1, int32_t forward_thread = 0);
void end_range(int64_t token);
ProfileEvent& open_range();
inline bool records_shapes() { return profile_thread.profile && profile_thread.profile->options.record_shapes; }
void note_memory(void* address, int64_t bytes, bool is_freed);

// Ends what was begun, however the scope is left.
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
