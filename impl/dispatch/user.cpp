// Registers operators, kernels and derivatives of programs, and calls the C ABI's callbacks from the dispatcher.
#include "dispatch/user.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "core/exception.h"
#include "core/messages.h"
#include "dispatch/assembly.h"
#include "mindtorch/op.h"

namespace mt {
namespace {

constexpr int max_arguments = 32;

// Serialises registrations, which are rare and short; calls of operators take no lock.
std::mutex& registration_mutex() {
  static std::mutex* mutex = new std::mutex();
  return *mutex;
}

std::atomic<int64_t> replaced_kernels{0};

struct RetainedKernel {
  explicit RetainedKernel(UserKernel* c) : callback(c->try_retain() ? c : nullptr) {}
  ~RetainedKernel() {
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
  if (!fits && !(expected.optional && v.tag == MT_TAG_NONE)) {
    v.flags &= ~MT_FLAG_OWNED;  // the schema does not describe what it aliases
    fail(ErrorKind::type, "{}::{}: the kernel gave result {} with the tag {} where '{}' was expected", op.schema.ns, op.schema.name, index,
         v.tag, expected.type_text);
  }
  if (!(v.flags & MT_FLAG_OWNED)) v = own(v);
}

void run_kernel(const Call& call, const void* data) {
  RetainedKernel hold(const_cast<UserKernel*>(static_cast<const UserKernel*>(data)));
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

UserPart& ensure_user_part(Operator& op) {
  if (!op.external) __atomic_store_n(&op.external, new UserPart(), __ATOMIC_RELEASE);
  return *static_cast<UserPart*>(const_cast<void*>(op.external));
}

// Changes the kernels of one key; at the end of the scope, the operator's slot gets the latest kernel of the highest rank, or its original
// handler if none is left.
class KernelChange {
 public:
  KernelChange(Operator& op, Key key)
      : op_(op), part_(ensure_user_part(op)), key_(key), entries_(part_.kernels[int(key)]), had_(!entries_.empty()) {
    if (!had_) part_.replaced[int(key)] = op.slots[int(key)];
  }
  KernelChange(const KernelChange&) = delete;
  KernelChange& operator=(const KernelChange&) = delete;
  ~KernelChange() {
    const bool has = !entries_.empty();
    if (op_.def) replaced_kernels.fetch_add(int(has) - int(had_), std::memory_order_relaxed);
    if (has) {
      set_slot(op_, key_, run_kernel, entries_.back().kernel);
    } else if (had_) {
      const Slot& before = part_.replaced[int(key_)];
      set_slot(op_, key_, before.fn, before.data);
    }
  }

  void insert_kernel(KernelEntry entry) {
    auto place = entries_.end();
    while (place != entries_.begin() && std::prev(place)->rank > entry.rank) --place;
    entries_.insert(place, entry);
  }
  std::optional<KernelEntry> erase_kernel(int64_t id) {
    auto found = std::find_if(entries_.begin(), entries_.end(), [&](const KernelEntry& e) { return e.id == id; });
    if (found == entries_.end()) return std::nullopt;
    const KernelEntry entry = *found;
    entries_.erase(found);
    return entry;
  }

 private:
  Operator& op_;
  UserPart& part_;
  Key key_;
  std::vector<KernelEntry>& entries_;
  bool had_;
};

constexpr int32_t registered_rank = 1;  // of the kernel that register_kernel set
std::atomic<int64_t> last_id{0};

// Kernels that were unregistered; released when no lock is held.
struct RemovedKernels {
  ~RemovedKernels() {
    for (UserKernel* kernel : kernels) kernel->release();
  }
  std::vector<UserKernel*> kernels;
};

void count_composites(Operator& op, int change) {
  const int32_t count = ensure_user_part(op).composites.fetch_add(change, std::memory_order_acq_rel) + change;
  __atomic_store_n(&op.composite, count > 0, __ATOMIC_RELEASE);
  __atomic_store_n(&op.traits, count > 0 ? op.traits | MT_OP_COMPOSITE : op.traits & ~MT_OP_COMPOSITE, __ATOMIC_RELEASE);
}

void insert_composite(Operator& op, int64_t id, int32_t rank, UserKernel* kernel) {
  for (Key key : composite_keys) {
    if (key != composite_keys[0]) kernel->retain();
    KernelChange(op, key).insert_kernel({id, rank, true, kernel});
  }
  count_composites(op, 1);
}

// Removes the kernel with this id from every key that has it; returns false if none has.
bool erase_everywhere(Operator& op, int64_t id, RemovedKernels& ended) {
  bool was_there = false, was_body = false;
  for (int key = 0; key < key_count; ++key) {
    const std::optional<KernelEntry> entry = KernelChange(op, Key(key)).erase_kernel(id);
    if (!entry) continue;
    was_there = true;
    was_body |= entry->is_body;
    ended.kernels.push_back(entry->kernel);
  }
  if (was_body) count_composites(op, -1);
  return was_there;
}

}  // namespace

bool has_replaced_kernels() { return replaced_kernels.load(std::memory_order_relaxed) > 0; }

Slot builtin_handler_at(const Operator& op, Key key) {
  std::lock_guard lock(registration_mutex());
  const auto* part = static_cast<const UserPart*>(op.external);
  return part && !part->kernels[int(key)].empty() ? part->replaced[int(key)] : handler_at(op, key);
}

bool runs_as_composite(const Operator& op) {
  if (__atomic_load_n(&op.composite, __ATOMIC_ACQUIRE)) return true;
  const void* external = __atomic_load_n(&op.external, __ATOMIC_ACQUIRE);
  return external && !__atomic_load_n(&op.derivative, __ATOMIC_ACQUIRE) &&
         static_cast<const UserPart*>(external)->composites.load(std::memory_order_acquire);
}

Operator& define_operator(const char* text) {
  Schema schema = parse_schema(text);
  check(int(schema.args.size()) <= max_arguments, ErrorKind::value, "an operator has at most {} arguments, got {}", max_arguments,
        int64_t(schema.args.size()));
  std::lock_guard lock(registration_mutex());
  Operator& op = add_operator(std::move(schema));
  install_foreign_handlers(op, nullptr, nullptr, nullptr);
  return op;
}

void undefine_operator(Operator& op) {
  RemovedKernels ended;
  std::lock_guard lock(registration_mutex());
  check(!op.def, "{} came with the library and stays", op.schema.text);
  remove_operator(op);
  for (std::vector<KernelEntry>& entries : ensure_user_part(op).kernels)
    while (!entries.empty()) erase_everywhere(op, entries.back().id, ended);
}

int64_t add_kernel(Operator& op, Key key, int32_t rank, UserKernel* kernel) {
  std::lock_guard lock(registration_mutex());
  const int64_t id = last_id.fetch_add(1, std::memory_order_relaxed) + 1;
  KernelChange(op, key).insert_kernel({id, rank, false, kernel});
  return id;
}

int64_t add_composite(Operator& op, int32_t rank, UserKernel* kernel) {
  std::lock_guard lock(registration_mutex());
  check(!op.def, messages::has_a_body_already, op.schema.text);
  const int64_t id = last_id.fetch_add(1, std::memory_order_relaxed) + 1;
  insert_composite(op, id, rank, kernel);
  return id;
}

void remove_kernel(Operator& op, int64_t id) {
  RemovedKernels ended;
  std::lock_guard lock(registration_mutex());
  check(id > 0 && erase_everywhere(op, id, ended), "{} has no kernel with the number {}", op.schema.text, id);
}

void register_kernel(Operator& op, Key key, UserKernel* kernel) {
  RemovedKernels ended;
  std::lock_guard lock(registration_mutex());
  KernelChange change(op, key);
  if (const std::optional<KernelEntry> former = change.erase_kernel(0)) ended.kernels.push_back(former->kernel);
  if (kernel) change.insert_kernel({0, registered_rank, false, kernel});
}

void register_composite(Operator& op, UserKernel* kernel) {
  constexpr int64_t body_id = -1;  // besides the kernels that register_kernel sets for one of these keys
  RemovedKernels ended;
  std::lock_guard lock(registration_mutex());
  check(!op.def, messages::has_a_body_already, op.schema.text);
  erase_everywhere(op, body_id, ended);
  if (kernel) insert_composite(op, body_id, registered_rank, kernel);
}

void register_derivative(Operator& op, mt_derivative_fn derivative, void* user, void (*destroy)(void* user)) {
  std::lock_guard lock(registration_mutex());
  check(!op.def && !ensure_user_part(op).has_derivative, messages::has_a_derivative_already, op.schema.text);
  check(!op.composite, "{} is composite: what its body calls has derivatives", op.schema.text);
  install_foreign_handlers(op, derivative, user, destroy);
  ensure_user_part(op).has_derivative = true;
}

void register_fallback(Key key, UserKernel* kernel) {
  ensure_registry();  // which installs the library's own
  static UserKernel* registered[key_count] = {};
  static Slot builtin[key_count];  // the library's own fallbacks, while a program's replaces them
  UserKernel* former;
  {
    std::lock_guard lock(registration_mutex());
    check(kernel || registered[int(key)], "no fallback was registered for {}", name_of(key));
    former = std::exchange(registered[int(key)], kernel);
    if (!former) builtin[int(key)] = fallback_of(key);
    const Slot next = kernel ? Slot{run_kernel, kernel} : builtin[int(key)];
    set_fallback(key, next.fn, next.data);
  }
  if (former) former->release();
}

}  // namespace mt
