// What every part of the addon shares: the state of one JavaScript environment, its objects, errors and strings.
#pragma once

#define NAPI_VERSION 8
#include <node_api.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "support.h"

namespace mindtorch_node {

struct Thrown {};  // an exception of JavaScript is pending

enum class Kind { tensor, generator, checkpoint };

// The native part of a JavaScript object. It holds one reference to a handle until dispose().
struct Entry {
  Kind kind;
  void* handle;
  napi_ref object;  // weak
  uint64_t serial;  // scopes may outlive an entry, and its address may be used again
};

// The JavaScript classes and functions that index.js passes to the addon when it is loaded.
enum class Given { error, complex, make_dict, collect, count };

// The state of one JavaScript environment: that of the main thread or of a worker. Only its own thread uses the fields above the mutex.
struct State {
  explicit State(napi_env owner) : env(owner), thread(std::this_thread::get_id()) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  napi_env env;
  std::thread::id thread;
  napi_ref classes[3] = {};
  napi_ref given[static_cast<int>(Given::count)] = {};
  std::unordered_set<Entry*> entries;
  size_t sweep_at = 1 << 14;
  uint64_t last_serial = 0;
  bool has_sentinel = false, is_collecting = false;
  void* making = nullptr;  // the handle of the object whose constructor runs
  std::vector<std::vector<std::pair<Entry*, uint64_t>>> scopes;
  std::deque<std::string> operator_names;

  std::mutex mutex;
  std::vector<napi_ref> unused;  // strong references that other threads dropped
  bool is_closed = false;
};

State& state_of(napi_env env);
void check_napi(napi_env env, napi_status status);

// ---- errors ----

using mindtorch_swig::fail;
// Makes the JavaScript exception for the C++ exception that is being handled.
napi_value error_of_current_exception(State& state);
// Converts the pending JavaScript exception to a status, and clears it. The library call that fails with this status throws the same
// exception.
mt_status* take_exception(State& state);

// Makes a Node-API callback from a C++ function: its C++ exceptions become JavaScript exceptions.
template <napi_value (*function)(State&, napi_callback_info)>
napi_value guarded(napi_env env, napi_callback_info info) {
  State& state = state_of(env);
  try {
    return function(state, info);
  } catch (const Thrown&) {
  } catch (...) {
    napi_throw(env, error_of_current_exception(state));
  }
  return nullptr;
}

struct Arguments {
  static constexpr size_t most = 32;
  napi_value self = nullptr, at[most];
  size_t count = most;
  void* data = nullptr;
  Arguments(State& state, napi_callback_info info);
  napi_value operator[](size_t index) const { return index < count ? at[index] : nullptr; }
};

// ---- JavaScript's values ----

napi_valuetype type_of(State& state, napi_value value);
bool is_missing(State& state, napi_value value);  // undefined or null
std::string text_of(State& state, napi_value value);
napi_value make_text(State& state, const char* text, size_t size = NAPI_AUTO_LENGTH);
napi_value make_number(State& state, int64_t number);  // a BigInt where a number would not be exact
napi_value make_ints(State& state, const int64_t* numbers, int64_t count);
napi_value make_undefined(State& state);
bool bool_of(State& state, napi_value value);
double number_of(State& state, napi_value value);
int64_t int_of(State& state, napi_value value);
std::vector<int64_t> ints_of(State& state, napi_value list);
uint32_t length_of(State& state, napi_value list);
napi_value element_of(State& state, napi_value list, uint32_t index);
napi_value property_of(State& state, napi_value object, const char* name);
napi_value call_given(State& state, Given function, std::initializer_list<napi_value> arguments, bool as_constructor = false);

// ---- objects ----

napi_value wrap_handle(State& state, Kind kind, void* handle);  // takes over the reference; null for a null handle
Entry* find_entry(State& state, napi_value value);              // null if it is no object of ours
void* handle_of(State& state, napi_value value, Kind kind);
inline mt_tensor* tensor_of(State& state, napi_value value) { return static_cast<mt_tensor*>(handle_of(state, value, Kind::tensor)); }
void release(Entry& entry);
// After a call that may have made tensors: informs V8 of their memory, and frees the tensors of dead objects.
void collect_garbage_if_needed(State& state);
// Drops a strong reference from any thread; the environment's own deletes it later.
void drop_reference(State& state, napi_ref reference);
void define_objects(State& state, napi_value exports);

// ---- the addon's parts ----

void box_value(State& state, napi_value value, mindtorch_swig::Values& values);
void box_arguments(State& state, const Arguments& arguments, size_t first, mindtorch_swig::Values& values);
napi_value unbox_value(State& state, const mt_value& raw);
napi_value unbox_results(State& state, const mindtorch_swig::Values& results);
void define_function(State& state, napi_value target, const char* name, napi_callback function, void* data = nullptr);
void define_calls(State& state, napi_value exports);
void define_tensors(State& state, napi_value exports);
void define_autograd(State& state, napi_value exports);
void define_files(State& state, napi_value exports);

// Work on the thread pool, whose result resolves a promise. `run` is called on the pool's thread, where JavaScript's values cannot be used.
struct Job {
  virtual ~Job() = default;
  virtual void run() = 0;
  virtual napi_value finish(State& state) = 0;
};
napi_value start_promise(State& state, std::unique_ptr<Job> job);

}  // namespace mindtorch_node
