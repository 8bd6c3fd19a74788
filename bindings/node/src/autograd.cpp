// Gradients: backward on this thread or on the pool, hooks, modes.
#include <condition_variable>

#include "state.h"

namespace mindtorch_node {
namespace {

std::vector<mindtorch::Tensor> tensors_of(State& state, napi_value list) {
  std::vector<mindtorch::Tensor> out;
  if (is_missing(state, list)) return out;
  for (uint32_t i = 0; i < length_of(state, list); ++i) {
    const napi_value item = element_of(state, list, i);
    out.push_back(is_missing(state, item) ? mindtorch::Tensor() : mindtorch::Tensor::share(tensor_of(state, item)));
  }
  return out;
}

mindtorch_swig::Tensors to_tensor_list(const std::vector<mindtorch::Tensor>& tensors) {
  mindtorch_swig::Tensors out;
  for (const mindtorch::Tensor& tensor : tensors) out.add(tensor.handle());
  return out;
}

struct BackwardJob : Job {
  mindtorch_swig::Tensors roots, seeds;
  bool retain_graph = false, create_graph = false;
  void run() override { mindtorch_swig::autograd_backward(roots, seeds, retain_graph, create_graph); }
  napi_value finish(State& state) override {
    roots = seeds = mindtorch_swig::Tensors();
    collect_garbage_if_needed(state);
    return make_undefined(state);
  }
};

// Reads JavaScript's arguments: roots, gradients or undefined, retain_graph, create_graph.
std::unique_ptr<BackwardJob> read_backward_job(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  auto job = std::make_unique<BackwardJob>();
  job->roots = to_tensor_list(tensors_of(state, arguments[0]));
  job->seeds = to_tensor_list(tensors_of(state, arguments[1]));
  if (job->seeds.size() > 0 && job->seeds.size() != job->roots.size()) fail("ValueError", "there must be one gradient for each root");
  job->retain_graph = bool_of(state, arguments[2]);
  job->create_graph = bool_of(state, arguments[3]);
  return job;
}

napi_value backward(State& state, napi_callback_info info) {
  const std::unique_ptr<BackwardJob> job = read_backward_job(state, info);
  job->run();
  return job->finish(state);
}

napi_value start_backward(State& state, napi_callback_info info) { return start_promise(state, read_backward_job(state, info)); }

// grad(roots, gradients or undefined, inputs, retain_graph, create_graph, allow_unused): the inputs' gradients.
napi_value grad(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  const std::vector<mindtorch::Tensor> roots = tensors_of(state, arguments[0]), seeds = tensors_of(state, arguments[1]);
  const std::vector<mindtorch::Tensor> inputs = tensors_of(state, arguments[2]);
  if (!seeds.empty() && seeds.size() != roots.size()) fail("ValueError", "there must be one gradient for each root");
  const mindtorch_swig::Tensors found = mindtorch_swig::autograd_grad(to_tensor_list(roots), to_tensor_list(seeds), to_tensor_list(inputs),
                                                                      bool_of(state, arguments[3]), bool_of(state, arguments[4]),
                                                                      bool_of(state, arguments[5]));
  napi_value out = nullptr;
  check_napi(state.env, napi_create_array_with_length(state.env, static_cast<size_t>(found.size()), &out));
  for (int64_t i = 0; i < found.size(); ++i) {
    check_napi(state.env, napi_set_element(state.env, out, static_cast<uint32_t>(i), wrap_handle(state, Kind::tensor, found.get(i))));
  }
  collect_garbage_if_needed(state);
  return out;
}

napi_value get_grad(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mt_tensor* gradient = nullptr;
  mindtorch::check(mt_tensor_grad(tensor_of(state, arguments[0]), &gradient));
  return wrap_handle(state, Kind::tensor, gradient);
}

napi_value set_grad(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mt_tensor* gradient = is_missing(state, arguments[1]) ? nullptr : tensor_of(state, arguments[1]);
  mindtorch::check(mt_tensor_set_grad(tensor_of(state, arguments[0]), gradient));
  return nullptr;
}

napi_value set_requires_grad(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mindtorch::check(mt_tensor_set_requires_grad(tensor_of(state, arguments[0]), bool_of(state, arguments[1])));
  return nullptr;
}

// setMode(mode, on): sets one of this thread's modes, and returns its former value.
napi_value set_autograd_mode(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  const auto mode = static_cast<int32_t>(int_of(state, arguments[0]));
  int32_t before = 0;
  mindtorch::check(mt_mode_get(mode, &before));
  mindtorch::check(mt_mode_set(mode, static_cast<int32_t>(int_of(state, arguments[1]))));
  return make_number(state, before);
}

// ---- hooks ----

// A hook's call from another thread, which waits for the answer.
struct HookCall {
  mindtorch::Tensor gradient, replacement;
  mt_status* failure = nullptr;
  bool is_done = false;
  std::mutex mutex;
  std::condition_variable done;
};

// A JavaScript function as a tensor's gradient hook. The tensor and Node's thread-safe function share its ownership: the last one frees it.
struct Hook {
  State* state;
  napi_ref function = nullptr;
  napi_threadsafe_function gate = nullptr;
  std::mutex mutex;
  bool is_gate_open = true;
  std::shared_ptr<Hook> held_by_tensor, held_by_gate;
};

void call_hook_on_js_thread(Hook& hook, HookCall& call) {
  State& state = *hook.state;
  napi_handle_scope scope = nullptr;
  napi_open_handle_scope(state.env, &scope);
  try {
    napi_value function = nullptr, returned = nullptr;
    check_napi(state.env, napi_get_reference_value(state.env, hook.function, &function));
    mt_tensor_retain(call.gradient.handle());
    const napi_value gradient = wrap_handle(state, Kind::tensor, call.gradient.handle());
    check_napi(state.env, napi_call_function(state.env, make_undefined(state), function, 1, &gradient, &returned));
    if (!is_missing(state, returned)) call.replacement = mindtorch::Tensor::share(tensor_of(state, returned));
  } catch (const Thrown&) {
    call.failure = take_exception(state);
  } catch (const mindtorch::Error& error) {
    call.failure = mt_status_create(error.kind().c_str(), error.what());
  }
  napi_close_handle_scope(state.env, scope);
}

void run_queued_hook_call(napi_env env, napi_value, void* context, void* data) {
  auto& call = *static_cast<HookCall*>(data);
  if (env != nullptr) {
    call_hook_on_js_thread(*static_cast<Hook*>(context), call);
  } else {
    call.failure = mt_status_create("RuntimeError", "the environment of a hook has ended");
  }
  const std::lock_guard<std::mutex> guard(call.mutex);
  call.is_done = true;
  call.done.notify_one();
}

mt_status* run_hook(void* user, mt_tensor* gradient, mt_tensor** replacement) {
  auto& hook = *static_cast<Hook*>(user);
  HookCall call;
  call.gradient = mindtorch::Tensor::share(gradient);
  if (std::this_thread::get_id() == hook.state->thread) {
    call_hook_on_js_thread(hook, call);
  } else {
    {
      const std::lock_guard<std::mutex> guard(hook.mutex);
      if (!hook.is_gate_open || napi_call_threadsafe_function(hook.gate, &call, napi_tsfn_blocking) != napi_ok) {
        return mt_status_create("RuntimeError", "the environment of a hook has ended");
      }
    }
    std::unique_lock<std::mutex> lock(call.mutex);
    call.done.wait(lock, [&call] { return call.is_done; });
  }
  if (call.failure != nullptr) return call.failure;
  *replacement = call.replacement.handle();
  mt_tensor_retain(*replacement);
  return nullptr;
}

// Runs in any thread: the library calls it once, when no call of the hook can follow.
void drop_hook(void* user) {
  auto* hook = static_cast<Hook*>(user);
  const std::shared_ptr<Hook> held = std::move(hook->held_by_tensor);
  const std::lock_guard<std::mutex> guard(hook->mutex);
  if (hook->is_gate_open) napi_release_threadsafe_function(hook->gate, napi_tsfn_release);
}

void finalize_hook_gate(napi_env env, void* data, void*) {
  auto* hook = static_cast<Hook*>(data);
  const std::shared_ptr<Hook> held = std::move(hook->held_by_gate);
  const std::lock_guard<std::mutex> guard(hook->mutex);
  hook->is_gate_open = false;
  napi_delete_reference(env, hook->function);
}

// add_hook(tensor, function): returns a number by which the hook can be removed.
napi_value add_hook(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mt_tensor* tensor = tensor_of(state, arguments[0]);
  if (type_of(state, arguments[1]) != napi_function) fail("TypeError", "a hook is a function");
  auto hook = std::make_shared<Hook>();
  hook->state = &state;
  check_napi(state.env, napi_create_reference(state.env, arguments[1], 1, &hook->function));
  check_napi(state.env, napi_create_threadsafe_function(state.env, nullptr, nullptr, make_text(state, "mindtorch hook"), 0, 1, hook.get(),
                                                        finalize_hook_gate, hook.get(), run_queued_hook_call, &hook->gate));
  hook->held_by_gate = hook;
  hook->held_by_tensor = hook;
  check_napi(state.env, napi_unref_threadsafe_function(state.env, hook->gate));  // a hook keeps no program running
  int64_t id = 0;
  if (mt_status* status = mt_tensor_add_hook(tensor, run_hook, hook.get(), drop_hook, &id)) {
    drop_hook(hook.get());
    mindtorch::check(status);
  }
  return make_number(state, id);
}

napi_value remove_hook(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  mindtorch::check(mt_tensor_remove_hook(tensor_of(state, arguments[0]), int_of(state, arguments[1])));
  return nullptr;
}

}  // namespace

void define_autograd(State& state, napi_value exports) {
  const std::pair<const char*, napi_callback> functions[] = {{"backward", guarded<backward>},
                                                             {"backwardAsync", guarded<start_backward>},
                                                             {"grad", guarded<grad>},
                                                             {"getGrad", guarded<get_grad>},
                                                             {"setGrad", guarded<set_grad>},
                                                             {"setRequiresGrad", guarded<set_requires_grad>},
                                                             {"setMode", guarded<set_autograd_mode>},
                                                             {"addHook", guarded<add_hook>},
                                                             {"removeHook", guarded<remove_hook>}};
  for (const auto& [name, function] : functions) define_function(state, exports, name, function);
}

}  // namespace mindtorch_node
