// Autocast: casts arguments by the operator's policy, then calls the operator again without autocast.
#include "layers/autocast.h"

#include <mutex>
#include <unordered_map>

#include "autograd/meta.h"
#include "definition/definition.h"
#include "dispatch/tensor_args.h"
#include "mindtorch/tensor.h"

namespace mt {
namespace {

constexpr int device_types = MT_NPU + 1;

// The default autocast dtype of each device type; Dtype::none for types without autocast.
constexpr Dtype default_dtype_of(int type) {
  switch (type) {
    case 0:
    case 8:
    case 9:
    case 15: return Dtype::bfloat16;             // cpu, maia, xla, hpu
    case 1:
    case 12:
    case 13:
    case 18:
    case 19:
    case 20: return Dtype::float16;  // cuda, xpu, mps, ipu, mtia, npu
    default: return Dtype::none;
  }
}

struct State {
  bool enabled[device_types] = {};
  Dtype dtype[device_types];
  bool cache_enabled = true;
  constexpr State() : dtype{} {
    for (int i = 0; i < device_types; ++i) dtype[i] = default_dtype_of(i);
  }
};
constinit thread_local State state;

struct Cached {
  Tensor source;  // keeps the parameter alive, so that no other tensor can get its address
  Tensor cast;
};
struct Cache {
  std::mutex mutex;
  std::unordered_map<const TensorImpl*, Cached> casts;
};
Cache& cast_cache() {
  static Cache* c = new Cache();  // never destroyed: threads may run during exit
  return *c;
}

bool is_eligible(const Tensor& t, DeviceType type) {
  return t.defined() && t.device().type == type && is_floating(t.dtype()) && t.dtype() != Dtype::float64;
}

// Only casts of float32 leaf parameters are cached, while they are recorded: every step of a region repeats them.
bool is_cacheable(const Tensor& t, Dtype to, DeviceType type) {
  if (!state.cache_enabled || !thread_state.grad_mode || t.dtype() != Dtype::float32 || to != state.dtype[int(type)] || !t->autograd)
    return false;
  constexpr uint32_t wanted = MT_TENSOR_REQUIRES_GRAD | MT_TENSOR_IS_LEAF;
  return (autograd_flags(*t) & (wanted | MT_TENSOR_IS_VIEW)) == wanted;
}

Tensor cast_argument(const Tensor& t, Dtype to, DeviceType type) {
  if (!is_eligible(t, type) || t.dtype() == to) return t;
  if (!is_cacheable(t, to, type)) return op<"_to_copy">(t, to);
  Cache& c = cast_cache();
  {
    std::lock_guard lock(c.mutex);
    auto found = c.casts.find(t.get());
    if (found != c.casts.end() && found->second.cast.dtype() == to) return found->second.cast;
  }
  Tensor result = op<"_to_copy">(t, to);  // the lock is not held: hooks and modes may run
  Cached former;                          // released after the lock
  std::lock_guard lock(c.mutex);
  former = std::exchange(c.casts[t.get()], Cached{t, result});
  return result;
}

// float32 if any argument is float32, else the region's dtype; float64 and integers are ignored.
Dtype find_widest_dtype(const Call& call, DeviceType type) {
  const Dtype lower = state.dtype[int(type)];
  Dtype result = lower;
  for_each_tensor(call.op, call.args, [&](const Tensor& t) {
    if (!is_eligible(t, type)) return;
    if (t.dtype() == Dtype::float32 || result == Dtype::float32) {
      result = Dtype::float32;
    } else {
      check(t.dtype() == lower, "Unexpected floating ScalarType in at::autocast::prioritize");
    }
  });
  return result;
}

Dtype target_dtype_of(Autocast policy, const Call& call, DeviceType type) {
  if (policy == Autocast::fp32) return Dtype::float32;
  return policy == Autocast::lower_precision ? state.dtype[int(type)] : find_widest_dtype(call, type);
}

// The device type of the call's first tensor.
DeviceType device_type_of(const Call& call) {
  DeviceType type = DeviceType::cpu;
  bool found = false;
  for_each_tensor(call.op, call.args, [&](const Tensor& t) {
    if (!found) type = t.device().type;
    found = true;
  });
  return type;
}

// Requests a float32 result of a reduction whose first tensor has fewer bits, if the program named no dtype.
void run_with_dtype(const Call& call, DeviceType type) {
  Small<Value, 16> args(List<Value>(call.args, call.op.n_args));
  const Value& first = args[call.op.tensor_args[0]];
  for (int i = 0; i < call.op.n_args; ++i)
    if (call.op.schema.args[size_t(i)].type == ArgType::dtype && args[i].tag == MT_TAG_NONE && first.tag == MT_TAG_TENSOR &&
        is_eligible(Unbox<Tensor>::from(first), type))
      args[i] = box(Dtype::float32);
  mt::call(call.op, args.data(), call.rets);
}

void cast_and_run(const Call& call, const void*) {
  const DeviceType type = device_type_of(call);
  const int both = int(field(call.op, &OpDef::autocast));
  const Autocast policy = Autocast(type == DeviceType::npu ? both >> 4 : both & 15);
  // Without a policy the operator runs with autocast still on, since it may call operators that have a policy.
  if (!state.enabled[int(type)] || policy == Autocast::none) return redispatch_below(call, Key::autocast);
  ExcludeKeys without(key_bit(Key::autocast));
  if (policy == fp32_dtype) return run_with_dtype(call, type);
  check(policy != refused,
        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
        "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
        "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
        "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
        "safe to autocast.");
  const Dtype to = target_dtype_of(policy, call, type);
  const ReplacedTensors converted(call, [&](const Tensor& t, int) { return cast_argument(t, to, type); });
  mt::call(call.op, converted.args.data(), call.rets);
}

void check_device_type(int32_t type) {
  check(type >= 0 && type < device_types && default_dtype_of(type) != Dtype::none,
        "unknown device type for autocast in get_autocast_dispatch_key_from_device_type");
}

}  // namespace

void install_autocast(Operator& op) {
  if (!op.def || op.form != Form::functional) return;
  if (field(op, &OpDef::autocast) != Autocast::none) set_slot(op, Key::autocast, cast_and_run, nullptr);
}

AutocastSettings get_autocast(int32_t device_type) {
  check_device_type(device_type);
  return {state.enabled[device_type], state.dtype[device_type]};
}

void set_autocast(int32_t device_type, AutocastSettings settings) {
  check_device_type(device_type);
  state.enabled[device_type] = settings.enabled;
  if (settings.dtype != Dtype::none) state.dtype[device_type] = settings.dtype;
  bool any = false;
  for (bool enabled : state.enabled) any |= enabled;
  const KeySet bit = key_bit(Key::autocast);
  thread_state.included = any ? thread_state.included | bit : thread_state.included & ~bit;
}

bool autocast_cache_enabled() { return state.cache_enabled; }
void set_autocast_cache_enabled(bool on) { state.cache_enabled = on; }

void clear_autocast_cache() {
  std::unordered_map<const TensorImpl*, Cached> dropped;  // tensors are destroyed after the lock is released
  std::lock_guard lock(cast_cache().mutex);
  dropped.swap(cast_cache().casts);
}

}  // namespace mt
