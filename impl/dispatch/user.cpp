// Registration from outside, and the bridge between the dispatcher and callbacks of the C ABI.
#include "dispatch/user.h"

#include <mutex>

#include "autograd/autograd.h"
#include "core/exception.h"
#include "dispatch/conjugate.h"
#include "dispatch/definition.h"

namespace mt {
namespace {

constexpr int most_arguments = 32;

// Registration is rare and short; calls take no lock.
std::mutex& registration_mutex() {
  static std::mutex* mutex = new std::mutex();
  return *mutex;
}

std::atomic<int64_t> replaced_kernels{0};

struct Hold {
  explicit Hold(UserKernel* c) : callback(c->try_retain() ? c : nullptr) {}
  ~Hold() {
    if (callback) callback->release();
  }
  UserKernel* callback;
};

// Takes ownership of a callback's result and rejects values that do not match the schema.
void check_result(const Operator& op, int index, Value& v) {
  const Argument& expected = op.schema.returns[size_t(index)];
  bool fits = true;
  switch (expected.type) {
    case ArgType::tensor:
      fits = v.tag == MT_TAG_NONE ||
             (v.tag == MT_TAG_TENSOR && v.as.tensor && reinterpret_cast<TensorImpl*>(v.as.tensor)->kind == Kind::tensor);
      break;
    case ArgType::tensors:
    case ArgType::optional_tensors: fits = v.tag == MT_TAG_TENSORS || v.tag == MT_TAG_OPTIONAL_TENSORS; break;
    case ArgType::integer: fits = v.tag == MT_TAG_INT || v.tag == MT_TAG_BOOL; break;
    case ArgType::real: fits = v.tag == MT_TAG_DOUBLE || v.tag == MT_TAG_INT; break;
    case ArgType::boolean: fits = v.tag == MT_TAG_BOOL; break;
    case ArgType::scalar: fits = v.tag >= MT_TAG_BOOL && v.tag <= MT_TAG_COMPLEX; break;
    default: break;
  }
  if (!fits) {
    v.flags &= ~MT_FLAG_OWNED;  // the object that it refers to may not exist
    fail(ErrorKind::type, "{}::{}: the kernel gave result {} with the tag {} where '{}' was expected", op.schema.ns, op.schema.name, index,
         v.tag, expected.type_text);
  }
  if (!(v.flags & MT_FLAG_OWNED)) v = own(v);
}

void run_kernel(const Call& call, const void* data) {
  Hold hold(const_cast<UserKernel*>(static_cast<const UserKernel*>(data)));
  if (!hold.callback) return redispatch(call.op, call.keys, call.args, call.rets);  // the registration ended in the meantime
  for (int r = 0; r < call.op.n_rets; ++r) call.rets[r] = none_value();
  mt_status* status = hold.callback->fn(hold.callback->user, reinterpret_cast<const mt_op*>(&call.op), call.keys, call.args, call.op.n_args,
                                        call.rets, call.op.n_rets);
  if (status) {
    for (int r = 0; r < call.op.n_rets; ++r) clear(call.rets[r]);
    rethrow_status(status);
  }
  for (int r = 0; r < call.op.n_rets; ++r) check_result(call.op, r, call.rets[r]);
}

UserPart& part_of(Operator& op) {
  if (!op.external) __atomic_store_n(&op.external, new UserPart(), __ATOMIC_RELEASE);
  return *static_cast<UserPart*>(const_cast<void*>(op.external));
}

// Puts a kernel into one slot; for nullptr restores the original handler. Returns the previous callback.
UserKernel* exchange_slot(Operator& op, Key key, UserKernel* kernel) {
  UserPart& part = part_of(op);
  UserKernel*& current = part.kernels[int(key)];
  if (!current) part.replaced[int(key)] = op.slots[int(key)];
  if (op.def) replaced_kernels.fetch_add((kernel != nullptr) - (current != nullptr), std::memory_order_relaxed);
  UserKernel* former = std::exchange(current, kernel);
  if (kernel) {
    set_slot(op, key, run_kernel, kernel);
  } else if (former) {
    const Slot& before = part.replaced[int(key)];
    set_slot(op, key, before.fn, before.data);
  }
  return former;
}

}  // namespace

bool has_replaced_kernels() { return replaced_kernels.load(std::memory_order_relaxed) > 0; }

Slot shipped_at(const Operator& op, Key key) {
  std::lock_guard lock(registration_mutex());
  const auto* part = static_cast<const UserPart*>(op.external);
  return part && part->kernels[int(key)] ? part->replaced[int(key)] : handler_at(op, key);
}

bool is_transparent(const Operator& op) {
  if (__atomic_load_n(&op.composite, __ATOMIC_ACQUIRE)) return true;
  const void* external = __atomic_load_n(&op.external, __ATOMIC_ACQUIRE);
  return external && !__atomic_load_n(&op.derivative, __ATOMIC_ACQUIRE) &&
         static_cast<const UserPart*>(external)->composite.load(std::memory_order_acquire);
}

Operator& define_operator(const char* text) {
  Schema schema = parse_schema(text);
  check(int(schema.args.size()) <= most_arguments, ErrorKind::value, "an operator has at most {} arguments, got {}", most_arguments,
        int64_t(schema.args.size()));
  std::lock_guard lock(registration_mutex());
  Operator& op = add_operator(std::move(schema));
  install_foreign_autograd(op, nullptr, nullptr, nullptr);
  return op;
}

void register_kernel(Operator& op, Key key, UserKernel* kernel) {
  UserKernel* former;
  {
    std::lock_guard lock(registration_mutex());
    former = exchange_slot(op, key, kernel);
  }
  if (former) former->release();
}

void register_composite(Operator& op, UserKernel* kernel) {
  UserKernel* former[key_count] = {};
  {
    std::lock_guard lock(registration_mutex());
    check(!op.def, "{} has a body already", op.schema.text);
    UserPart& part = part_of(op);
    former[0] = part.composite.exchange(kernel, std::memory_order_acq_rel);
    for (Key key : composite_keys) {
      if (kernel) kernel->retain();
      former[int(key) + 1] = exchange_slot(op, key, kernel);
    }
    __atomic_store_n(&op.composite, kernel != nullptr, __ATOMIC_RELEASE);
    __atomic_store_n(&op.traits, kernel ? op.traits | MT_OP_COMPOSITE : op.traits & ~MT_OP_COMPOSITE, __ATOMIC_RELEASE);
  }
  for (UserKernel* f : former)
    if (f) f->release();
}

void register_derivative(Operator& op, mt_derivative_fn derivative, void* user, void (*destroy)(void* user)) {
  std::lock_guard lock(registration_mutex());
  check(!op.def && !part_of(op).has_derivative, "{} has a derivative already", op.schema.text);
  check(!op.composite, "{} is composite: what its body calls has derivatives", op.schema.text);
  install_foreign_autograd(op, derivative, user, destroy);
  part_of(op).has_derivative = true;
}

void register_fallback(Key key, UserKernel* kernel) {
  static UserKernel* registered[key_count] = {};
  UserKernel* former;
  {
    std::lock_guard lock(registration_mutex());
    check(kernel || registered[int(key)], "no fallback was registered for {}", name_of(key));
    former = std::exchange(registered[int(key)], kernel);
    set_fallback(key, kernel ? run_kernel : nullptr, kernel);
    if (!kernel && (key == Key::conjugate || key == Key::negative)) install_conjugate_fallbacks();
  }
  if (former) former->release();
}

void decompose(const Operator& op, const Value* args, Value* rets) {
  const Call call{op, keys_of(op, args), args, rets};
  if (__atomic_load_n(&op.composite, __ATOMIC_ACQUIRE)) {
    const Slot slot = handler_at(op, Key::autograd);
    return slot.fn(call, slot.data);
  }
  const BoxedKernel body = op.def && op.form == Form::functional ? body_of(op).composite : BoxedKernel();
  check(bool(body), ErrorKind::not_implemented, "{} is not a composite operator", op.schema.text);
  body.fn(call, body.data);
}

}  // namespace mt
