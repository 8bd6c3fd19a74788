// The dispatcher for C callers: keys, redispatch, and what programs register.
#include "core/messages.h"
#include "dispatch/user.h"
#include "layers/autocast.h"
#include "results.h"

using namespace mt;
using namespace mt::capi;

namespace {

constexpr KeySet all_keys = (KeySet(1) << key_count) - 1;

Key key_of(int32_t key) {
  check(key >= 0 && key < key_count, ErrorKind::value, messages::is_not_a_dispatch_key, key);
  return Key(key);
}

// The library owns operators; they are const only for callers.
Operator& mutable_operator(const mt_op* op) { return operator_of(op); }

// Passes a new callback to where(). If that fails, frees the callback without running its destroy function, since the caller still owns its
// user pointer.
template <class F>
void pass_new_callback(mt_kernel_fn fn, void* user, void (*destroy)(void* user), F&& where) {
  if (!fn) return where(static_cast<UserKernel*>(nullptr));
  auto* callback = new UserKernel(fn, user, destroy);
  try {
    where(callback);
  } catch (...) {
    callback->abandon();
    throw;
  }
}

}  // namespace

mt_status* mt_dispatch_keys_get(uint64_t* included, uint64_t* excluded) {
  if (included) *included = thread_state.included & all_keys;
  if (excluded) *excluded = thread_state.excluded;
  return nullptr;
}

mt_status* mt_dispatch_keys_set(uint64_t included, uint64_t excluded) {
  return guard([&] {
    check(!((included | excluded) & ~all_keys), ErrorKind::value, messages::key_set_out_of_range, key_count - 1);
    thread_state.included = included | (thread_state.included & ~all_keys);
    thread_state.excluded = excluded;
  });
}

mt_status* mt_op_redispatch(const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets, int64_t capacity,
                            int64_t* n_rets) {
  return guard([&] {
    const Operator& o = operator_of(op);
    check_lists(o, args, n, rets, capacity);
    check(n == o.n_args, ErrorKind::type, messages::wrong_argument_count, o.schema.name, o.n_args, n);
    flush_pipeline();  // its kernels are synchronous
    check(!(keys & ~all_keys), ErrorKind::value, messages::key_set_out_of_range, key_count - 1);
    return_results(o, rets, n_rets, [&](Value* results) { redispatch_checked(o, keys, args, n, results); });
  });
}

mt_status* mt_op_call_shipped(const mt_op* op, int32_t key, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets,
                              int64_t capacity, int64_t* n_rets) {
  return guard([&] {
    const Operator& o = operator_of(op);
    const Key k = key_of(key);
    check_lists(o, args, n, rets, capacity);
    check(n == o.n_args, ErrorKind::type, messages::wrong_argument_count, o.schema.name, o.n_args, n);
    flush_pipeline();  // its kernels are synchronous
    check(!(keys & ~all_keys), ErrorKind::value, messages::key_set_out_of_range, key_count - 1);
    return_results(o, rets, n_rets, [&](Value* results) { call_shipped(o, k, keys, args, n, results); });
  });
}

mt_status* mt_op_decompose(const mt_op* op, const mt_value* args, int64_t n, mt_value* rets, int64_t capacity, int64_t* n_rets) {
  return guard([&] {
    const Operator& o = operator_of(op);
    check_lists(o, args, n, rets, capacity);
    return_results(o, rets, n_rets, [&](Value* results) { decompose_checked(o, args, n, results); });
  });
}

mt_status* mt_op_has_kernel(const mt_op* op, int32_t key, int32_t* out) {
  return guard([&] {
    const Operator& o = operator_of(op);
    require_not_null(out, "out");
    *out = key == MT_KEY_COMPOSITE ? __atomic_load_n(&o.composite, __ATOMIC_ACQUIRE) : int32_t(handled_keys(o) >> int(key_of(key)) & 1);
  });
}

mt_status* mt_fallback_register(int32_t key, mt_kernel_fn kernel, void* user, void (*destroy)(void* user)) {
  return guard([&] {
    const Key k = key_of(key);
    pass_new_callback(kernel, user, destroy, [&](UserKernel* callback) { register_fallback(k, callback); });
  });
}

mt_status* mt_op_define(const char* schema, const mt_op** out) {
  return guard([&] {
    require_not_null(schema, "schema");
    require_not_null(out, "out");
    ensure_registry();
    *out = reinterpret_cast<const mt_op*>(&define_operator(schema));
  });
}

mt_status* mt_op_register_kernel(const mt_op* op, int32_t key, mt_kernel_fn kernel, void* user, void (*destroy)(void* user)) {
  return guard([&] {
    Operator& o = mutable_operator(op);
    pass_new_callback(kernel, user, destroy, [&](UserKernel* callback) {
      if (key == MT_KEY_COMPOSITE) {
        register_composite(o, callback);
      } else {
        register_kernel(o, key_of(key), callback);
      }
    });
  });
}

mt_status* mt_op_register_derivative(const mt_op* op, mt_derivative_fn derivative, void* user, void (*destroy)(void* user)) {
  return guard([&] {
    Operator& o = mutable_operator(op);
    require_not_null(reinterpret_cast<const void*>(derivative), "derivative");
    register_derivative(o, derivative, user, destroy);
  });
}

// ---- autocast ----------------------------------------------------------------------------------------------------

mt_status* mt_autocast_get(int32_t device_type, int32_t* enabled, int32_t* dtype) {
  return guard([&] {
    const AutocastSettings settings = get_autocast(device_type);
    if (enabled) *enabled = settings.enabled;
    if (dtype) *dtype = int32_t(settings.dtype);
  });
}
mt_status* mt_autocast_set(int32_t device_type, int32_t enabled, int32_t dtype) {
  return guard([&] { set_autocast(device_type, {enabled != 0, dtype == -1 ? Dtype::none : dtype_of(dtype)}); });
}
mt_status* mt_autocast_cache_get(int32_t* enabled) {
  return guard([&] {
    require_not_null(enabled, "enabled");
    *enabled = autocast_cache_enabled();
  });
}
mt_status* mt_autocast_cache_set(int32_t enabled) {
  return guard([&] { set_autocast_cache_enabled(enabled != 0); });
}
mt_status* mt_autocast_cache_clear(void) {
  return guard([] { clear_autocast_cache(); });
}
