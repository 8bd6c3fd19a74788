// Objects that hold handles, and when they are freed. Node runs finalizers only between turns of its event loop, which a loop that makes
// tensors may never reach. So the objects are weak references in a table, which is swept after a collection: a tensor whose object is dead
// is released. A sentinel, an object without users, shows that V8 collected; when tensors use much memory, the addon runs the garbage
// collector.
#include <mindtorch/io.h>

#include "state.h"

namespace mindtorch_node {
namespace {

const char* const class_names[] = {"Tensor", "Generator", "Checkpoint"};

void ignore_finalizer(napi_env, void*, void*) {}

// Frees the entry of an object that was garbage-collected; returns whether it was.
bool free_if_collected(State& state, Entry* entry) {
  napi_value object = nullptr;
  if (napi_get_reference_value(state.env, entry->object, &object) == napi_ok && object != nullptr) return false;
  release(*entry);
  napi_delete_reference(state.env, entry->object);
  delete entry;
  return true;
}

void free_collected_entries(State& state) {
  for (auto at = state.entries.begin(); at != state.entries.end();) {
    napi_handle_scope scope = nullptr;
    check_napi(state.env, napi_open_handle_scope(state.env, &scope));
    for (int i = 0; i < 1000 && at != state.entries.end(); ++i)
      at = free_if_collected(state, *at) ? state.entries.erase(at) : std::next(at);
    check_napi(state.env, napi_close_handle_scope(state.env, scope));
  }
  state.sweep_at = std::max<size_t>(1 << 14, 2 * state.entries.size());
}

void inform_v8(State& state) {
  int64_t total = 0;
  if (const int64_t change = mindtorch_swig::memory_change()) napi_adjust_external_memory(state.env, change, &total);
}

void delete_unused_references(State& state) {
  std::vector<napi_ref> unused;
  {
    const std::lock_guard<std::mutex> guard(state.mutex);
    unused.swap(state.unused);
  }
  for (napi_ref reference : unused) napi_delete_reference(state.env, reference);
}

void place_sentinel(State& state);

void after_collection(napi_env env, void*, void*) {
  State& state = state_of(env);
  state.has_sentinel = false;
  if (state.is_closed) return;
  try {
    delete_unused_references(state);
    free_collected_entries(state);
    inform_v8(state);
    if (!state.entries.empty()) place_sentinel(state);
  } catch (...) {  // the next call sweeps
  }
}

void place_sentinel(State& state) {
  napi_handle_scope scope = nullptr;
  napi_value object = nullptr;
  check_napi(state.env, napi_open_handle_scope(state.env, &scope));
  check_napi(state.env, napi_create_object(state.env, &object));
  check_napi(state.env, napi_add_finalizer(state.env, object, nullptr, after_collection, nullptr, nullptr));
  check_napi(state.env, napi_close_handle_scope(state.env, scope));
  state.has_sentinel = true;
}

template <Kind kind>
napi_value construct(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  void* handle = std::exchange(state.making, nullptr);
  if (handle == nullptr) fail("TypeError", std::string("a ") + class_names[static_cast<int>(kind)] + " is made by functions, not by new");
  auto* entry = new Entry{kind, handle, nullptr, ++state.last_serial};
  const napi_status status = napi_wrap(state.env, arguments.self, entry, ignore_finalizer, nullptr, &entry->object);
  if (status != napi_ok) {
    release(*entry);
    delete entry;
    check_napi(state.env, status);
  }
  state.entries.insert(entry);
  if (!state.scopes.empty()) state.scopes.back().emplace_back(entry, entry->serial);
  return arguments.self;
}

template <Kind kind>
void define_class(State& state, napi_value exports) {
  napi_value made = nullptr;
  const char* name = class_names[static_cast<int>(kind)];
  check_napi(state.env, napi_define_class(state.env, name, NAPI_AUTO_LENGTH, guarded<construct<kind>>, nullptr, 0, nullptr, &made));
  check_napi(state.env, napi_create_reference(state.env, made, 1, &state.classes[static_cast<int>(kind)]));
  check_napi(state.env, napi_set_named_property(state.env, exports, name, made));
}

// Releases an object's handle at once; has no effect on an object that was already disposed of.
napi_value dispose(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  Entry* entry = find_entry(state, arguments[0]);
  if (entry == nullptr) fail("TypeError", "this is no object of mindtorch");
  release(*entry);
  inform_v8(state);
  return nullptr;
}

napi_value is_disposed(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  Entry* entry = find_entry(state, arguments[0]);
  if (entry == nullptr) fail("TypeError", "this is no object of mindtorch");
  napi_value out = nullptr;
  check_napi(state.env, napi_get_boolean(state.env, entry->handle == nullptr, &out));
  return out;
}

// ---- scopes: what is made in one is released at its end ----

napi_value open_scope(State& state, napi_callback_info) {
  state.scopes.emplace_back();
  return make_number(state, static_cast<int64_t>(state.scopes.size()));
}

// close_scope(depth, kept): releases the objects of the innermost scope; those in the array `kept` move to the enclosing scope.
napi_value close_scope(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  if (int_of(state, arguments[0]) != static_cast<int64_t>(state.scopes.size())) {
    fail("RuntimeError", "scopes must end in the reverse order in which they began");
  }
  std::unordered_set<Entry*> kept;
  for (uint32_t i = 0; i < length_of(state, arguments[1]); ++i) kept.insert(find_entry(state, element_of(state, arguments[1], i)));
  const auto made = std::move(state.scopes.back());
  state.scopes.pop_back();
  for (const auto& [entry, serial] : made) {
    if (state.entries.count(entry) == 0 || entry->serial != serial) continue;
    if (kept.count(entry) == 0) {
      release(*entry);
    } else if (!state.scopes.empty()) {
      state.scopes.back().emplace_back(entry, serial);
    }
  }
  inform_v8(state);
  return nullptr;
}

// The number of objects and the bytes of tensors, for tests and reports.
napi_value get_memory(State& state, napi_callback_info) {
  const int64_t numbers[] = {static_cast<int64_t>(state.entries.size()), mindtorch_swig::memory_in_use()};
  return make_ints(state, numbers, 2);
}

void close_state(void* data) {
  auto& state = *static_cast<State*>(data);
  for (Entry* entry : state.entries) {
    release(*entry);
    delete entry;
  }
  state.entries.clear();
  const std::lock_guard<std::mutex> guard(state.mutex);
  state.is_closed = true;
}

}  // namespace

void release(Entry& entry) {
  void* handle = std::exchange(entry.handle, nullptr);
  switch (entry.kind) {
    case Kind::tensor: return mt_tensor_release(static_cast<mt_tensor*>(handle));
    case Kind::generator: return mt_generator_release(static_cast<mt_generator*>(handle));
    case Kind::checkpoint: return mt_checkpoint_release(static_cast<mt_checkpoint*>(handle));
  }
}

napi_value wrap_handle(State& state, Kind kind, void* handle) {
  napi_value type = nullptr, out = nullptr;
  if (handle == nullptr) {
    check_napi(state.env, napi_get_null(state.env, &out));
    return out;
  }
  state.making = handle;
  napi_status status = napi_get_reference_value(state.env, state.classes[static_cast<int>(kind)], &type);
  if (status == napi_ok) status = napi_new_instance(state.env, type, 0, nullptr, &out);
  if (void* unused = std::exchange(state.making, nullptr)) {
    Entry entry{kind, unused, nullptr, 0};
    release(entry);
  }
  check_napi(state.env, status);
  return out;
}

Entry* find_entry(State& state, napi_value value) {
  void* found = nullptr;
  if (value == nullptr || napi_unwrap(state.env, value, &found) != napi_ok) return nullptr;
  // Another addon may have wrapped the object: only pointers in our table are ours.
  const auto at = state.entries.find(static_cast<Entry*>(found));
  return at == state.entries.end() ? nullptr : *at;
}

void* handle_of(State& state, napi_value value, Kind kind) {
  Entry* entry = find_entry(state, value);
  const std::string name = class_names[static_cast<int>(kind)];
  if (entry == nullptr || entry->kind != kind) fail("TypeError", "a " + name + " is expected");
  if (entry->handle == nullptr) fail("ValueError", "this " + name + " is disposed of");
  return entry->handle;
}

void collect_garbage_if_needed(State& state) {
  inform_v8(state);
  if (state.entries.size() > state.sweep_at) free_collected_entries(state);
  if (!state.has_sentinel) place_sentinel(state);
  if (state.is_collecting || !mindtorch_swig::memory_is_high()) return;
  state.is_collecting = true;
  napi_handle_scope scope = nullptr;
  check_napi(state.env, napi_open_handle_scope(state.env, &scope));
  napi_value collect = nullptr, ignored = nullptr;
  napi_get_reference_value(state.env, state.given[static_cast<int>(Given::collect)], &collect);
  if (type_of(state, collect) == napi_function) napi_call_function(state.env, make_undefined(state), collect, 0, nullptr, &ignored);
  delete_unused_references(state);
  free_collected_entries(state);
  mindtorch_swig::memory_settle();
  inform_v8(state);
  check_napi(state.env, napi_close_handle_scope(state.env, scope));
  state.is_collecting = false;
}

void drop_reference(State& state, napi_ref reference) {
  const std::lock_guard<std::mutex> guard(state.mutex);
  if (!state.is_closed) state.unused.push_back(reference);
}

void define_objects(State& state, napi_value exports) {
  define_class<Kind::tensor>(state, exports);
  define_class<Kind::generator>(state, exports);
  define_class<Kind::checkpoint>(state, exports);
  define_function(state, exports, "dispose", guarded<dispose>);
  define_function(state, exports, "isDisposed", guarded<is_disposed>);
  define_function(state, exports, "openScope", guarded<open_scope>);
  define_function(state, exports, "closeScope", guarded<close_scope>);
  define_function(state, exports, "memory", guarded<get_memory>);
  check_napi(state.env, napi_add_env_cleanup_hook(state.env, close_state, &state));
}

}  // namespace mindtorch_node
