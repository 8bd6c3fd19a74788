// Injected faults, counters, and the message of the last error.
#include <cstdlib>
#include <cstring>

#include "npu_sim/simulator.h"

namespace mt::npu_sim {
namespace {

struct CallFault {
  std::string call;  // "*": any
  int64_t left;      // calls until the fault occurs
  aclError code;     // success: that of the call's kind
};
struct TaskFault {
  bool loses_device;
  int device;
  int64_t left;
};
struct Faults {
  std::mutex mutex;
  std::vector<CallFault> calls;
  std::vector<TaskFault> tasks;
  int64_t leave = 0, stall = 0;  // tasks of collectives until the fault occurs; 0: never
  int64_t memory = INT64_MAX, delay = 0;
  bool lost[max_devices] = {};
};
Faults& faults() {
  static auto* const all = new Faults();
  return *all;
}
thread_local std::string last_error;

std::vector<std::string> split_text(const std::string& text, char at) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(at, begin)) != std::string::npos; begin = end + 1) parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}
bool parse_integer(const std::string& text, int64_t& out) {
  char* end = nullptr;
  out = std::strtoll(text.c_str(), &end, 10);
  return !text.empty() && !*end && out >= 0;
}

// Parses the fault fail:CALL:N[:CODE].
bool parse_call_fault(const std::vector<std::string>& parts, Faults& into) {
  int64_t call = 0, code = acl::success;
  if (parts[0] != "fail" || (parts.size() != 3 && parts.size() != 4)) return false;
  if (!parse_integer(parts[2], call) || call == 0) return false;
  if (parts.size() == 4 && !parse_integer(parts[3], code)) return false;
  into.calls.push_back({parts[1], call, aclError(code)});
  return true;
}

// Parses the faults memory:BYTES, delay:MICROSECONDS, leave:N and stall:N.
bool parse_single_value_fault(const std::vector<std::string>& parts, Faults& into) {
  int64_t value = 0;
  if (parts.size() != 2 || !parse_integer(parts[1], value)) return false;
  const std::string& name = parts[0];
  if (name == "memory")
    into.memory = value;
  else if (name == "delay")
    into.delay = value;
  else if (name == "leave" && value > 0)
    into.leave = value;
  else if (name == "stall" && value > 0)
    into.stall = value;
  else
    return false;
  return true;
}

// Parses the faults sticky:DEVICE:N and lost:DEVICE:N.
bool parse_task_fault(const std::vector<std::string>& parts, Faults& into) {
  int64_t device = 0, task = 0;
  if (parts.size() != 3 || (parts[0] != "sticky" && parts[0] != "lost")) return false;
  if (!parse_integer(parts[1], device) || device >= max_devices || !parse_integer(parts[2], task) || task == 0) return false;
  into.tasks.push_back({parts[0] == "lost", int(device), task});
  return true;
}

bool parse_fault(const std::string& item, Faults& into) {
  const std::vector<std::string> parts = split_text(item, ':');
  return parse_call_fault(parts, into) || parse_single_value_fault(parts, into) || parse_task_fault(parts, into);
}

const bool from_environment = [] {
  if (const char* text = std::getenv("MINDTORCH_NPU_SIM_FAULTS")) set_faults(text);
  return true;
}();

}  // namespace

Counters& counters() {
  static auto* const all = new Counters();
  return *all;
}

aclError enter(const char* call, aclError otherwise) {
  Faults& f = faults();
  std::lock_guard lock(f.mutex);
  for (CallFault& fault : f.calls)
    if (fault.left > 0 && (fault.call == "*" || fault.call == call) && --fault.left == 0) {
      ++counters().faults;
      set_error_text("injected fault");
      return fault.code == acl::success ? otherwise : fault.code;
    }
  return acl::success;
}

aclError set_faults(const char* text) {
  (void)from_environment;
  Faults parsed;
  for (const std::string& item : split_text(text ? text : "", ','))
    if (!item.empty() && !parse_fault(item, parsed)) {
      set_error_text("not a fault: " + item);
      return acl::error_invalid_param;
    }
  {
    Faults& f = faults();
    std::lock_guard lock(f.mutex);
    f.calls = std::move(parsed.calls);
    f.tasks = std::move(parsed.tasks);
    f.leave = parsed.leave;
    f.stall = parsed.stall;
    f.memory = parsed.memory;
    f.delay = parsed.delay;
    std::memset(f.lost, 0, sizeof f.lost);
  }
  restart_aborted_streams();
  return acl::success;
}

int64_t memory_end() {
  std::lock_guard lock(faults().mutex);
  return faults().memory;
}
int64_t task_delay() {
  std::lock_guard lock(faults().mutex);
  return faults().delay;
}

aclError task_fault(int device) {
  Faults& f = faults();
  std::lock_guard lock(f.mutex);
  for (TaskFault& fault : f.tasks)
    if (fault.device == device && fault.left > 0 && --fault.left == 0) {
      ++counters().faults;
      if (fault.loses_device) f.lost[device] = true;
      if (!fault.loses_device) return acl::error_rt_aicore_exception;
    }
  return f.lost[device] ? acl::error_rt_lost_heartbeat : acl::success;
}
CollectiveFault collective_fault() {
  Faults& f = faults();
  std::lock_guard lock(f.mutex);
  const bool leaves = f.leave > 0 && --f.leave == 0, stalls = f.stall > 0 && --f.stall == 0;
  if (leaves || stalls) ++counters().faults;
  return leaves ? CollectiveFault::leaves : stalls ? CollectiveFault::stalls : CollectiveFault::none;
}
bool is_lost(int device) {
  std::lock_guard lock(faults().mutex);
  return device >= 0 && device < max_devices && faults().lost[device];
}

void set_error_text(std::string text) { last_error = std::move(text); }
const char* error_text() { return last_error.c_str(); }

}  // namespace mt::npu_sim
