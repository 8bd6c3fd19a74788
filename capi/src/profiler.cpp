// The C functions of the profiler.
#include "autograd/profile.h"

#include <memory>

#include "convert.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

namespace {

struct FinishedRecording {
  std::unique_ptr<Profile> profile;
  std::vector<mt_profile_input> inputs;  // of the event that was requested last
};
FinishedRecording& last_recording() {
  thread_local FinishedRecording f;
  return f;
}

}  // namespace

mt_status* mt_profiler_start(const mt_profiler_options* options) {
  return guard([&] {
    const mt_profiler_options wanted = options ? read_struct(options, "options") : mt_profiler_options{};
    ensure_registry();
    start_profile(wanted);
    last_recording() = {};
  });
}

mt_status* mt_profiler_stop(int64_t* count) {
  return guard([&] {
    require_not_null(count, "count");
    Profile* profile = stop_profile();
    check(profile, "the profiler does not run on this thread");
    last_recording().profile.reset(profile);
    *count = int64_t(profile->events.size());
  });
}

int32_t mt_profiler_is_active(void) { return is_profiling(); }

mt_status* mt_profiler_begin(const char* name, int32_t kind, int64_t* token) {
  return guard([&] {
    require_not_null(name, "name");
    require_not_null(token, "token");
    check(kind == MT_PROFILE_OPERATOR || kind == MT_PROFILE_RANGE || kind > MT_PROFILE_MEMORY, ErrorKind::value, "{} is no kind of a range",
          kind);
    *token = !is_profiling() ? -1 : begin_range(kind, nullptr, name, kind == MT_PROFILE_OPERATOR ? sequence_of_call() : -1);
  });
}

void mt_profiler_end(int64_t token) {
  if (token >= 0) end_range(token);
}

mt_status* mt_profiler_event(int64_t index, mt_profile_event* out) {
  return guard([&] {
    check_struct(out, "out");
    FinishedRecording& f = last_recording();
    check(f.profile && index >= 0 && size_t(index) < f.profile->events.size(), ErrorKind::index, "there is no event {}", index);
    const ProfileEvent& event = f.profile->events[size_t(index)];
    const auto first = f.profile->inputs.begin() + int64_t(event.first_input);
    int64_t n = 0;
    for (int64_t i = 0; i < event.seen.n_inputs; ++i, ++n)
      if (first[n].value.tag == MT_TAG_TENSORS) n += first[n].value.as.i;
    f.inputs.assign(first, first + n);
    for (mt_profile_input& input : f.inputs) {
      input.sizes = f.profile->dims.data() + reinterpret_cast<intptr_t>(input.sizes);
      input.strides = input.sizes + (input.ndim > 0 ? input.ndim : 0);
    }
    mt_profile_event found = event.seen;
    found.n_inputs = n;
    found.inputs = f.inputs.data();
    found.name = event.name.c_str();
    found.overload = "";
    if (event.op) {
      // The event keeps the full name, which is valid as long as the recording.
      std::string& name = const_cast<ProfileEvent&>(event).name;
      if (name.empty()) name = event.op->schema.ns + "::" + event.op->schema.name;
      found.name = name.c_str();
      found.overload = event.op->schema.overload.c_str();
    }
    write_struct(out, "out", found);
  });
}

void mt_profiler_clear(void) { last_recording() = {}; }
