// How a call runs: complete and check the arguments, collect dispatch keys, run the handler of the highest key.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/exception.h"
#include "core/lazy_clone.h"
#include "core/messages.h"
#include "core/no_kernel.h"
#include "dispatch/invoke.h"
#include "dispatch/user.h"

namespace mt {
namespace {

Slot fallbacks[key_count + 1];  // the last one is the profiler's
KeySet fallback_keys = 0;
// A seqlock: odd while handlers are being registered, never the same twice. Readers take no lock and retry if it changed.
std::atomic<uint64_t> registrations{0};

[[noreturn]] [[gnu::cold]] void raise_without_kernel(const Operator& op, KeySet keys) {
  const std::string name = op.schema.ns + "::" + op.schema.name + (op.schema.overload.empty() ? "" : "." + op.schema.overload);
  if (keys & key_bit(Key::meta))
    fail(ErrorKind::not_implemented,
         "{}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered. You "
         "may have run into this message while using an operator with PT2 compilation APIs (torch.compile/torch.export); in order to use "
         "this operator with those APIs you'll need to add a fake impl. Please see the following for next steps:  "
         "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html",
         name);
  const KeySet backends = keys & backend_keys;
  const char* backend = backends ? name_of(Key(63 - __builtin_clzll(backends))) : "";
  std::string available;
  const KeySet handled = handled_keys(op) | __atomic_load_n(&fallback_keys, __ATOMIC_ACQUIRE);
  for (int key = 0; key <= int(Key::autocast); ++key)
    if (handled >> key & 1) available += std::string(available.empty() ? "" : ", ") + name_of(Key(key));
  fail_without_kernel(name, backend, available);
}

template <class... Tags>
constexpr uint32_t mask_of_tags(Tags... tags) {
  return ((uint32_t{1} << tags) | ...);
}

// Returns a bit mask of the value tags that an argument's type accepts.
uint32_t accepted_tags(ArgType type) {
  switch (type) {
    case ArgType::tensor: return mask_of_tags(MT_TAG_TENSOR);
    case ArgType::tensors: return mask_of_tags(MT_TAG_TENSORS);
    case ArgType::optional_tensors: return mask_of_tags(MT_TAG_OPTIONAL_TENSORS, MT_TAG_TENSORS);
    case ArgType::scalar: return mask_of_tags(MT_TAG_BOOL, MT_TAG_INT, MT_TAG_DOUBLE, MT_TAG_COMPLEX);
    case ArgType::scalars: return mask_of_tags(MT_TAG_SCALARS);
    case ArgType::integer: return mask_of_tags(MT_TAG_INT, MT_TAG_BOOL);
    case ArgType::ints: return mask_of_tags(MT_TAG_INTS);
    case ArgType::real: return mask_of_tags(MT_TAG_DOUBLE, MT_TAG_INT);
    case ArgType::reals: return mask_of_tags(MT_TAG_DOUBLES);
    case ArgType::boolean: return mask_of_tags(MT_TAG_BOOL, MT_TAG_INT);
    case ArgType::bools: return mask_of_tags(MT_TAG_BOOLS);
    case ArgType::string: return mask_of_tags(MT_TAG_STRING);
    case ArgType::strings: return mask_of_tags(MT_TAG_STRINGS);
    case ArgType::dtype: return mask_of_tags(MT_TAG_DTYPE);
    case ArgType::layout: return mask_of_tags(MT_TAG_LAYOUT);
    case ArgType::memory_format: return mask_of_tags(MT_TAG_MEMORY_FORMAT);
    case ArgType::device: return mask_of_tags(MT_TAG_DEVICE);
    case ArgType::generator: return mask_of_tags(MT_TAG_GENERATOR);
    case ArgType::storage: return mask_of_tags(MT_TAG_STORAGE);
    case ArgType::stream: return mask_of_tags(MT_TAG_STREAM);
    case ArgType::any: return ~uint32_t{0};
  }
  return 0;
}

bool accepts_value(const Argument& a, const Value& v) {
  if (v.tag == MT_TAG_DEFAULT) return a.has_default || a.optional;
  if (v.tag == MT_TAG_NONE) return a.optional || a.type == ArgType::any;
  if (a.type == ArgType::ints && v.tag == MT_TAG_INT) return a.list_size != 0;
  if (v.tag < 0 || v.tag > MT_TAG_STRINGS) return a.type == ArgType::any;
  return accepted_tags(a.type) >> v.tag & 1;
}

const char* tag_name(int32_t tag) {
  static constexpr const char* names[] = {"default",       "None",   "bool",     "int",       "float",     "complex", "dtype",  "layout",
                                          "memory_format", "device", "str",      "Tensor",    "Generator", "Storage", "Stream", "int[]",
                                          "float[]",       "bool[]", "Tensor[]", "Tensor?[]", "Scalar[]",  "str[]"};
  return tag >= 0 && tag <= MT_TAG_STRINGS ? names[tag] : "unknown";
}

bool is_valid_handle(const void* handle, Kind kind) { return handle && *static_cast<const Kind*>(handle) == kind; }

bool is_known_device(int32_t type) { return name_of(DeviceType(type)) != nullptr && type >= 0 && type <= 20; }

bool are_valid_handles(const Value& v, bool may_be_null) {
  const auto* items = static_cast<const void* const*>(v.as.list.data);
  for (int64_t i = 0; i < v.as.list.size; ++i)
    if (items[i] ? !is_valid_handle(items[i], Kind::tensor) : !may_be_null) return false;
  return true;
}

bool are_valid_numbers(const Value& v) {
  const auto* items = static_cast<const Value*>(v.as.list.data);
  return std::all_of(items, items + v.as.list.size, [](const Value& item) { return is_number_tag(item.tag); });
}

bool are_valid_strings(const Value& v) {
  const auto* items = static_cast<const Value*>(v.as.list.data);
  return std::all_of(items, items + v.as.list.size,
                     [](const Value& item) { return item.tag == MT_TAG_STRING && has_valid_contents(item); });
}

// A larger count is a caller's mistake: reading so many elements would run past the end of the list.
constexpr int64_t longest_list = int64_t{1} << 31;

bool is_valid_list(const Value& v) {
  if (v.as.list.size < 0 || v.as.list.size > longest_list || (!v.as.list.data && v.as.list.size)) return false;
  switch (v.tag) {
    case MT_TAG_TENSORS: return are_valid_handles(v, /*may_be_null=*/false);
    case MT_TAG_OPTIONAL_TENSORS: return are_valid_handles(v, /*may_be_null=*/true);
    case MT_TAG_SCALARS: return are_valid_numbers(v);
    case MT_TAG_STRINGS: return are_valid_strings(v);
    default: return true;
  }
}

}  // namespace

bool has_valid_contents(const Value& v) {
  switch (v.tag) {
    case MT_TAG_TENSOR: return is_valid_handle(v.as.tensor, Kind::tensor);
    case MT_TAG_GENERATOR: return is_valid_handle(v.as.generator, Kind::generator);
    case MT_TAG_STORAGE: return is_valid_handle(v.as.storage, Kind::storage);
    case MT_TAG_DTYPE: return v.as.i >= INT32_MIN && v.as.i <= INT32_MAX && is_known_dtype(int32_t(v.as.i));
    case MT_TAG_LAYOUT: return v.as.i >= MT_STRIDED && v.as.i <= MT_SPARSE_BSC && v.as.i != 3;
    case MT_TAG_MEMORY_FORMAT: return v.as.i >= 0 && v.as.i <= MT_CHANNELS_LAST_3D;
    case MT_TAG_DEVICE: return is_known_device(v.as.device.type);
    case MT_TAG_STRING: return v.as.string.size >= 0 && (v.as.string.data || v.as.string.size == 0);
    case MT_TAG_INTS:
    case MT_TAG_DOUBLES:
    case MT_TAG_BOOLS:
    case MT_TAG_SCALARS:
    case MT_TAG_STRINGS:
    case MT_TAG_TENSORS:
    case MT_TAG_OPTIONAL_TENSORS: return is_valid_list(v);
    default: return v.tag >= 0 && v.tag <= MT_TAG_STRINGS;
  }
}

namespace {

// Storage for values created while arguments are completed; one per call, on the stack.
struct Completion {
  std::vector<std::vector<int64_t>> ints;
  std::vector<Tensor> tensors;
};

// Writes a complete, checked value for argument `a`.
void complete_argument(const Operator& op, const Argument& a, const Value& given, Value& out, Completion& scratch) {
  Value v = given;
  if (v.tag == MT_TAG_DEFAULT) {
    if (!a.has_default) {
      check(a.optional, ErrorKind::type, "{}() is missing value for argument '{}'. Declaration: {}", op.schema.name, a.name,
            op.schema.text);
      out = none_value();
      return;
    }
    v = a.default_value;
    if (v.tag == MT_TAG_DEFAULT) {  // stored in the argument's description
      if (a.type == ArgType::string)
        v = box(Text{a.default_text.data() + 1, int64_t(a.default_text.size()) - 2});
      else if (a.type == ArgType::reals)
        v = box(List<double>(a.default_reals.data(), int64_t(a.default_reals.size())));
      else
        v = box(IntList(a.default_ints.data(), int64_t(a.default_ints.size())));
    }
    out = v;
    return;
  }
  v.flags &= ~MT_FLAG_OWNED;
  if (a.type == ArgType::tensor && is_number_tag(v.tag)) {
    scratch.tensors.push_back(wrapped_number(Scalar::of_value(v)));
    out = box(scratch.tensors.back());
    return;
  }
  if (accepts_value(a, v) && !has_valid_contents(v))
    fail(ErrorKind::type, "{}(): argument '{}' must be a '{}', but is NULL, freed, or a handle of another kind", op.schema.name, a.name,
         a.type_text);
  if (!accepts_value(a, v))
    fail(ErrorKind::type, "{}(): Expected a value of type '{}' for argument '{}' but instead found type '{}'. Declaration: {}",
         op.schema.name, a.type_text, a.name, tag_name(v.tag), op.schema.text);
  if (a.type == ArgType::real && v.tag == MT_TAG_INT) v = box(double(v.as.i));
  if (a.type == ArgType::integer && v.tag == MT_TAG_BOOL) v = box(int64_t(v.as.i));
  if (a.type == ArgType::boolean && v.tag != MT_TAG_NONE) v = box(v.as.i != 0);
  if (a.type == ArgType::ints && v.tag == MT_TAG_INT) {
    scratch.ints.emplace_back(size_t(a.list_size), v.as.i);
    v = box(IntList(scratch.ints.back().data(), a.list_size));
  }
  if (a.type == ArgType::bools && a.list_size)
    check(v.as.list.size == a.list_size, ErrorKind::type, "{}(): expected {} values for argument '{}'", op.schema.name,
          int64_t(a.list_size), a.name);
  if (a.type == ArgType::optional_tensors) v.tag = MT_TAG_OPTIONAL_TENSORS;
  if (v.tag == MT_TAG_NONE) v = none_value();
  out = v;
}

inline KeySet tensor_keys(const Value& v) {
  switch (v.tag) {
    case MT_TAG_TENSOR: return reinterpret_cast<const TensorImpl*>(v.as.tensor)->keys;
    case MT_TAG_TENSORS:
    case MT_TAG_OPTIONAL_TENSORS: {
      KeySet keys = 0;
      auto* items = static_cast<const TensorImpl* const*>(v.as.list.data);
      for (int64_t i = 0; i < v.as.list.size; ++i)
        if (items[i]) keys |= items[i]->keys;
      return keys;
    }
    default: return 0;
  }
}

// Copies the bytes of lazily cloned storages that the call will write.
[[gnu::cold]] void copy_lazily_cloned_bytes(const Operator& op, const Value* args) {
  for (int8_t i : op.tensor_args) {
    if (!op.schema.args[size_t(i)].mutated) continue;
    const Value& v = args[i];
    if (v.tag == MT_TAG_TENSOR) {
      if (const auto& storage = reinterpret_cast<const TensorImpl*>(v.as.tensor)->storage) copy_shared_bytes(*storage);
    } else if (v.tag == MT_TAG_TENSORS || v.tag == MT_TAG_OPTIONAL_TENSORS) {
      auto* items = static_cast<const TensorImpl* const*>(v.as.list.data);
      for (int64_t n = 0; n < v.as.list.size; ++n)
        if (items[n] && items[n]->storage) copy_shared_bytes(*items[n]->storage);
    }
  }
}

}  // namespace

KeySet keys_of(const Operator& op, const Value* args) {
  KeySet keys = 0;
  for (int8_t i : op.tensor_args) keys |= tensor_keys(args[i]);
  if (!(keys & backend_keys)) {  // factories, and calls with empty lists: the device argument decides
    keys |= key_bit(Key::cpu);
    for (int i = 0; i < op.n_args; ++i)
      if (args[i].tag == MT_TAG_DEVICE) {
        DeviceType type = DeviceType(args[i].as.device.type);
        if (type == DeviceType::meta) keys = (keys & ~backend_keys) | key_bit(Key::meta);
        if (type == DeviceType::npu) keys = (keys & ~backend_keys) | key_bit(Key::npu);
      }
  }
  if (op.schema.is_view || op.schema.mutates) keys |= key_bit(Key::view_and_version);
  if (op.schema.mutates && lazy_storages.load(std::memory_order_relaxed)) copy_lazily_cloned_bytes(op, args);
  const ThreadState& thread = thread_state;
  keys = (keys | thread.included) & ~thread.excluded;
  // Without grad mode the autograd key is dropped, since nothing is recorded; versions and views have a key of their own.
  if (!thread.grad_mode) keys &= ~key_bit(Key::autograd);
  return keys;
}

KeySet handled_keys(const Operator& op) { return __atomic_load_n(&op.handled, __ATOMIC_ACQUIRE); }

namespace {

inline Slot load_slot_atomically(const Slot& slot) {
  return {__atomic_load_n(&slot.fn, __ATOMIC_ACQUIRE), __atomic_load_n(&slot.data, __ATOMIC_ACQUIRE)};
}

// Returns the handler of the highest key that has one; empty if none has.
inline Slot handler_for(const Operator& op, KeySet keys) {
  for (;;) {
    const uint64_t before = registrations.load(std::memory_order_acquire);
    const KeySet own = handled_keys(op);
    // Meta precedes CPU, since a CPU number may be combined with a meta tensor. A key without handler and fallback is skipped; a backend
    // key without both is an error.
    const KeySet live = keys & (own | __atomic_load_n(&fallback_keys, __ATOMIC_ACQUIRE));
    Slot found;
    if (live && (63 - __builtin_clzll(live) > int(Key::sparse_compressed) || (keys & backend_keys & ~live) <= (live & backend_keys))) {
      const int key = 63 - __builtin_clzll(live);
      found = load_slot_atomically(own >> key & 1 ? op.slots[key] : fallbacks[key]);
    }
    if (__builtin_expect(!(before & 1) && registrations.load(std::memory_order_relaxed) == before, 1)) return found;
  }
}

// Changes a slot while other threads read it. Callers serialise registrations (dispatch/user.cpp).
void write_slot(Slot& slot, KeySet& set, Key key, const Slot& handler) {
  registrations.fetch_add(1, std::memory_order_acq_rel);
  __atomic_store_n(&slot.fn, handler.fn, __ATOMIC_RELEASE);
  __atomic_store_n(&slot.data, handler.data, __ATOMIC_RELEASE);
  __atomic_store_n(&set, handler.fn ? set | key_bit(key) : set & ~key_bit(key), __ATOMIC_RELEASE);
  registrations.fetch_add(1, std::memory_order_release);
}

}  // namespace

void redispatch(const Operator& op, KeySet keys, const Value* args, Value* rets) {
  const Slot slot = handler_for(op, keys);
  if (!slot.fn) raise_without_kernel(op, keys);
  slot.fn(Call{op, keys, args, rets}, slot.data);
}

Slot handler_at(const Operator& op, Key key) {
  for (;;) {
    const uint64_t before = registrations.load(std::memory_order_acquire);
    const Slot slot = load_slot_atomically(op.slots[int(key)]);
    if (!(before & 1) && registrations.load(std::memory_order_relaxed) == before) return slot;
  }
}
void set_slot(Operator& op, Key key, KernelFn fn, const void* data) { write_slot(op.slots[int(key)], op.handled, key, {fn, data}); }

void call(const Operator& op, const Value* args, Value* rets) { redispatch(op, keys_of(op, args), args, rets); }

namespace {

template <class F>
inline void with_complete_arguments(const Operator& op, const Value* args, int64_t n, F&& then) {
  check(n <= op.n_args, ErrorKind::type, messages::too_many_arguments, op.schema.name, int64_t(op.n_args), n, op.schema.text);
  Completion scratch;
  Value complete_args[32];
  check(op.n_args <= 32, "operator has too many arguments");
  const Argument* schema_args = op.schema.args.data();
  bool reserved = false;
  for (int i = 0; i < op.n_args; ++i) {
    const Argument& a = schema_args[i];
    if (i < n && a.type == ArgType::tensor && args[i].tag == MT_TAG_TENSOR && is_valid_handle(args[i].as.tensor, Kind::tensor)) {
      complete_args[i] = args[i];
      complete_args[i].flags = 0;
    } else if (i >= n && a.has_default && a.default_value.tag != MT_TAG_DEFAULT) {
      complete_args[i] = a.default_value;
    } else {
      if (!reserved) {  // values point into these vectors: they must not reallocate
        scratch.ints.reserve(size_t(op.n_args));
        scratch.tensors.reserve(size_t(op.n_args));
        reserved = true;
      }
      complete_argument(op, a, i < n ? args[i] : mt::default_value(), complete_args[i], scratch);
    }
  }
  then(static_cast<const Value*>(complete_args));
}

}  // namespace

void call_checked(const Operator& op, const Value* args, int64_t n, Value* rets) {
  with_complete_arguments(op, args, n, [&](const Value* complete) { call(op, complete, rets); });
}
void redispatch_checked(const Operator& op, KeySet keys, const Value* args, int64_t n, Value* rets) {
  with_complete_arguments(op, args, n, [&](const Value* complete) { redispatch(op, keys, complete, rets); });
}
void call_shipped(const Operator& op, Key key, KeySet keys, const Value* args, int64_t n, Value* rets) {
  const Slot slot = builtin_handler_at(op, key);
  check(slot.fn, ErrorKind::not_implemented, "{}::{} came with no kernel for {}", op.schema.ns, op.schema.name, name_of(key));
  with_complete_arguments(op, args, n, [&](const Value* complete) {
    const KeySet backends = keys_of(op, complete) & backend_keys;
    if (key_bit(key) & backend_keys & ~backends) raise_without_kernel(op, backends);
    slot.fn(Call{op, (keys & keys_below(key)) | key_bit(key), complete, rets}, slot.data);
  });
}
void decompose_checked(const Operator& op, const Value* args, int64_t n, Value* rets) {
  with_complete_arguments(op, args, n, [&](const Value* complete) { decompose(op, complete, rets); });
}

Slot fallback_of(Key key) { return load_slot_atomically(fallbacks[int(key)]); }
void set_fallback(Key key, KernelFn fn, const void* data) { write_slot(fallbacks[int(key)], fallback_keys, key, {fn, data}); }

// ---- calls by name from C++ ----

namespace {
// Whether an overload accepts these arguments. lenient: an optional argument may be omitted even if the schema gives it no default.
bool matches_arguments(const Operator& op, const Value* args, int n, bool lenient = true) {
  if (n > op.n_args) return false;
  for (int i = 0; i < op.n_args; ++i) {
    const Argument& a = op.schema.args[size_t(i)];
    if (i >= n) {
      if (!a.has_default && !(lenient && a.optional)) return false;
    } else if (!accepts_value(a, args[i])) {
      return false;
    }
  }
  return true;
}
const Operator& resolve_overload(const char* name, const Value* args, int n) {
  const char* dot = std::strchr(name, '.');
  if (dot) {
    const std::string base(name, dot);
    const Operator* op = find_operator(base.c_str(), dot + 1);
    check(op, "no operator aten::{}", name);
    return *op;
  }
  auto candidates = overloads_of(name);
  for (bool lenient : {false, true})
    for (const Operator* op : candidates)
      if (op->form != Form::out && matches_arguments(*op, args, n, lenient)) return *op;
  // Wraps a number that was passed for a tensor.
  for (const Operator* op : candidates) {
    if (op->form == Form::out || n > op->n_args) continue;
    bool fits = true;
    for (int i = 0; i < n; ++i) {
      const Argument& a = op->schema.args[size_t(i)];
      fits &= accepts_value(a, args[i]) || (a.type == ArgType::tensor && is_number_tag(args[i].tag));
    }
    if (fits) return *op;
  }
  std::string kinds;
  for (int i = 0; i < n; ++i) kinds += std::string(i ? ", " : "") + tag_name(args[i].tag);
  fail(ErrorKind::not_implemented, "no overload of aten::{} takes ({})", name, kinds);
}
}  // namespace

void invoke(CallSite& site, const Value* args, int n, Value* rets, int n_rets) {
  const Operator* op = __atomic_load_n(&site.op, __ATOMIC_ACQUIRE);
  // The cached overload does not fit if this call passes other types of arguments, such as None instead of a tensor.
  if (!op || !matches_arguments(*op, args, n)) {
    op = &resolve_overload(site.name, args, n);
    __atomic_store_n(&site.op, op, __ATOMIC_RELEASE);
  }
  check(op->n_rets <= n_rets, "aten::{} gives {} results where {} were asked for", op->schema.name, int64_t(op->n_rets), int64_t(n_rets));
  call_checked(*op, args, n, rets);
}

Tensor invoke_for_tensor(CallSite& site, const Value* args, int n) {
  Results<1> results;
  invoke(site, args, n, results.values, 1);
  return results.values[0].tag == MT_TAG_TENSOR ? take_tensor(results.values[0]) : Tensor();
}

void move_list_to(Value& slot, std::vector<Tensor>& out) {
  auto* items = static_cast<Tensor*>(const_cast<void*>(slot.as.list.data));
  for (int64_t i = 0; i < slot.as.list.size; ++i) out.push_back(std::move(items[i]));
  clear(slot);
}

}  // namespace mt
