// The addon: one state for each environment, and the functions that index.js builds the package on.
#include "state.h"

namespace mindtorch_node {
namespace {

// start(error, complex, make_dict, collect): stores the JavaScript classes and functions that the addon uses.
napi_value store_js_functions_and_init(State& state, napi_callback_info info) {
  const Arguments arguments(state, info);
  for (size_t i = 0; i < static_cast<size_t>(Given::count); ++i) {
    check_napi(state.env, napi_create_reference(state.env, arguments[i], 1, &state.given[i]));
  }
  mindtorch::check(mt_init());
  return nullptr;
}

napi_value init_module(napi_env env, napi_value exports) {
  auto* state = new State(env);  // never freed: other threads may drop references after the environment's end
  if (napi_set_instance_data(env, state, nullptr, nullptr) != napi_ok) return nullptr;
  try {
    define_function(*state, exports, "start", guarded<store_js_functions_and_init>);
    define_objects(*state, exports);
    define_calls(*state, exports);
    define_tensors(*state, exports);
    define_autograd(*state, exports);
    define_files(*state, exports);
  } catch (const std::exception& error) {
    napi_throw_error(env, nullptr, error.what());
  } catch (const Thrown&) {
  }
  return exports;
}

}  // namespace
}  // namespace mindtorch_node

NAPI_MODULE_INIT() { return mindtorch_node::init_module(env, exports); }
