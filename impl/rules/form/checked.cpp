// Rules that run a check and then another rule.
#include "rules/form/checked.h"

#include "core/messages.h"
#include "definition/definition.h"
#include "rules/form/one_device.h"

namespace mt {
namespace {

struct CheckedBody {
  CallCheck check;
  Slot slot;
};

void run_checked(const Call& call, const void* data) {
  const auto& body = *static_cast<const CheckedBody*>(data);
  body.check(call);
  body.slot.fn(call, body.slot.data);
}

struct CheckedRule : Rule {
  CheckedRule(CallCheck c, const Rule* r, KeySet k) : check(c), rule(r), keys(k) {}
  void install(Operator& op) const override {
    rule ? rule->install(op) : install_without_rule(op);
    for (Key key : {Key::cpu, Key::meta})
      if (const Slot slot = op.slots[int(key)]; slot.fn && keys & key_bit(key))
        set_slot(op, key, run_checked, new CheckedBody{check, slot});
  }
  bool is_elementwise() const override { return rule && rule->is_elementwise(); }
  CallCheck check;
  const Rule* rule;
  KeySet keys;
};

struct InPlaceRule : Rule {
  explicit InPlaceRule(KernelFn w) : write(w) {}
  void install(Operator& op) const override { install_without_rule(op, write); }
  KernelFn write;
};

struct TargetDtypeBody {
  Slot slot;
  int place;
};

void run_in_dtype_of_target(const Call& call, const void* data) {
  const auto& body = *static_cast<const TargetDtypeBody*>(data);
  Small<Value, 16> args(List<Value>(call.args, call.op.n_args));
  const Dtype target = Unbox<Tensor>::from(args[call.op.form == Form::out ? call.op.n_args - 1 : 0]).dtype();
  if (args[body.place].tag != MT_TAG_DTYPE) {
    args[body.place] = box(target);
  } else if (call.op.form == Form::out) {
    const Dtype asked = Unbox<Dtype>::from(args[body.place]);
    check(asked == target, messages::expected_out_dtype, ScalarName(asked), ScalarName(target));
  }
  body.slot.fn(Call{call.op, call.keys, args.data(), call.rets}, body.slot.data);
}

struct TargetDtypeRule : Rule {
  explicit TargetDtypeRule(const Rule* r) : rule(r) {}
  void install(Operator& op) const override {
    rule->install(op);
    if (op.form == Form::functional) return;
    int place = 0;
    while (op.schema.args[size_t(place)].name != "dtype") ++place;
    for (Key key : {Key::cpu, Key::npu, Key::meta})
      if (const Slot slot = op.slots[int(key)]; slot.fn) set_slot(op, key, run_in_dtype_of_target, new TargetDtypeBody{slot, place});
  }
  const Rule* rule;
};

const Tensor& out_argument_of(const Call& call) { return Unbox<Tensor>::from(call.args[call.op.n_args - 1]); }

}  // namespace

const Rule* rule_after_check(CallCheck check, const Rule* rule) {
  return new CheckedRule(check, rule, key_bit(Key::cpu) | key_bit(Key::meta));
}

const Rule* in_place_rule(KernelFn write) { return new InPlaceRule(write); }

const Rule* rule_after_meta_check(CallCheck check, const Rule* rule) { return new CheckedRule(check, rule, key_bit(Key::meta)); }

const Rule* rule_in_target_dtype(const Rule* rule) { return new TargetDtypeRule(rule); }

void refuse_meta_mixtures_by_second(const Call& call) {
  if (call.keys & key_bit(Key::meta)) check_one_device(Unbox<Tensor>::from(call.args[1]), Unbox<Tensor>::from(call.args[0]));
}

void refuse_meta_mixtures(const Call& call) {
  if (!(call.keys & key_bit(Key::meta))) return;
  const Tensor* first = nullptr;
  auto look_at = [&](const Tensor& t) {
    if (!t.defined() || is_cpu_number(t)) return;
    if (first) check_expected_device(t, first->device());
    if (!first) first = &t;
  };
  for (int8_t i : call.op.functional->tensor_args) {
    if (call.args[i].tag == MT_TAG_TENSOR) look_at(Unbox<Tensor>::from(call.args[i]));
    if (call.args[i].tag == MT_TAG_TENSORS)
      for (const Tensor& t : Unbox<TensorList>::from(call.args[i])) look_at(t);
  }
}

void refuse_out_elsewhere(const Call& call) {
  if (call.op.form != Form::out || !(call.keys & key_bit(Key::meta))) return;
  const Tensor& out = out_argument_of(call);
  std::optional<Device> found;
  for (int8_t i : call.op.tensor_args) {
    if (call.args[i].tag != MT_TAG_TENSOR) continue;
    const Tensor& t = Unbox<Tensor>::from(call.args[i]);
    if (t.get() != out.get() && (!found || t.is_meta())) found = t.device();
  }
  if (found) check_copy_device(*found, out.device());
}

void refuse_divisor_elsewhere(const Call& call) {
  if (call.args[1].tag != MT_TAG_TENSOR) return;
  const Device a = Unbox<Tensor>::from(call.args[0]).device(), b = Unbox<Tensor>::from(call.args[1]).device();
  if (a == b) return;
  if (call.op.form == Form::out) check_copy_device(a, out_argument_of(call).device());
  fail("Expected divisor (b) to be on the same device ({}) as dividend (a), but it is found on {}!", a, b);
}

void refuse_converting_out(const Call& call) {
  if (call.op.form != Form::out) return;
  const Dtype expected = Unbox<Tensor>::from(call.args[0]).dtype(), found = out_argument_of(call).dtype();
  check(found == expected, messages::found_dtype_but_expected, found, expected);
}

void check_no_complex(const Call& call, const char* text) {
  for (int8_t i : call.op.functional->tensor_args)
    if (call.args[i].tag == MT_TAG_TENSOR) check(!is_complex(Unbox<Tensor>::from(call.args[i]).dtype()), text);
}

void check_index_devices(const Call& call, const char* name) {
  if (!(call.keys & key_bit(Key::meta)) || call.op.form == Form::out) return;
  const Device self = Unbox<Tensor>::from(call.args[0]).device(), index = Unbox<Tensor>::from(call.args[2]).device();
  const Device source = call.args[3].tag == MT_TAG_TENSOR ? Unbox<Tensor>::from(call.args[3]).device() : self;
  check(self == index && self == source,
        "{}(): self, index and source expected to be in the same device, but got (self) {}, (index) {}, and (source) {}", name, self, index,
        source);
}

void check_bool_out(const Call& call, const char* text) {
  if (call.op.form == Form::out) check(out_argument_of(call).dtype() == Dtype::boolean, text);
}

}  // namespace mt
