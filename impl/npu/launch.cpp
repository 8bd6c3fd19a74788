// Runs aclnn operators: the operator's meta kernel determines the results, and an aclnn operator computes them.
#include "npu/launch.h"

#include <memory>
#include <mutex>
#include <string_view>

#include "core/backend.h"
#include "core/exception.h"
#include "core/messages.h"
#include "definition/definition.h"
#include "dispatch/tensor_args.h"
#include "dispatch/user.h"
#include "npu/generator.h"
#include "npu/marshal.h"
#include "npu/plugin.h"
#include "npu/spec.h"
#include "rules/index/indexing.h"

namespace mt::npu {
namespace {

using Kind = Spec::Item::Kind;
using PassedAs = Spec::Item::Form;

// The aclnn implementation of an operator, read on its first call.
struct Body {
  std::once_flag ready;
  Spec spec;                        // of the aclnn operator
  std::optional<Spec> number_spec;  // of its variant for a number instead of the last tensor
  int last_tensor = -1;             // index of the argument that the variant takes as a number
};
void read_specs(const Operator& op, Body& body);

[[noreturn]] void fail_without_kernel(const Operator& op) {
  fail(ErrorKind::not_implemented, "Could not run '{}::{}{}{}' with arguments from the 'NPU' backend.", op.schema.ns, op.schema.name,
       op.schema.overload.empty() ? "" : ".", op.schema.overload);
}

bool is_number(const Tensor& t) { return t.device().is_cpu() && t.dim() == 0; }

[[noreturn]] void fail_for_two_devices(Device a, Device b) { fail(messages::found_two_devices, a, b); }

Device device_of(const Call& call) {
  for (int8_t i : call.op.tensor_args) {
    const Value& v = call.args[i];
    if (v.tag == MT_TAG_TENSOR && Unbox<Tensor>::from(v).device().type == DeviceType::npu) return Unbox<Tensor>::from(v).device();
    if (holds_tensor_list(v))
      for (const Tensor& t : Unbox<TensorList>::from(v))
        if (t.defined() && t.device().type == DeviceType::npu) return t.device();
  }
  for (int i = 0; i < call.op.n_args; ++i)
    if (call.args[i].tag == MT_TAG_DEVICE) return complete_device(Unbox<Device>::from(call.args[i]));
  return complete_device(Device{DeviceType::npu});
}

// The call's arguments: `real` has tensors on the device (except wrapped numbers), `meta` their meta versions.
struct Operands {
  Device device;
  Small<Value, 16> real, meta;
  std::vector<Tensor> kept;
  std::vector<std::vector<Tensor>> lists;

  explicit Operands(const Call& call) : device(device_of(call)), real(List<Value>(call.args, call.op.n_args)), meta(real) {
    kept.reserve(2 * size_t(call.op.n_args));
    lists.reserve(2 * size_t(call.op.n_args));
    for (int i = 0; i < call.op.n_args; ++i) {
      const bool mutated = call.op.schema.args[size_t(i)].mutated;
      if (real[i].tag == MT_TAG_TENSOR) {
        const Tensor& t = Unbox<Tensor>::from(real[i]);
        if (is_number(t) && !mutated) continue;
        if (t.device() != device) fail_for_two_devices(device, t.device());
        meta[i] = box(kept.emplace_back(make_meta_twin_of(t)));
      } else if (holds_tensor_list(real[i])) {
        // As in torch, indices may be on the CPU; they are the only tensors copied implicitly.
        const bool indices = real[i].tag == MT_TAG_OPTIONAL_TENSORS;
        std::vector<Tensor>&here = lists.emplace_back(), &twins = lists.emplace_back();
        for (const Tensor& t : Unbox<TensorList>::from(real[i])) {
          Tensor there = t;
          if (t.defined() && t.device() != device) {
            if (!t.device().is_cpu() || mutated || !(indices || t.dim() == 0)) fail_for_two_devices(device, t.device());
            there = empty(t.sizes(), t.dtype(), device);
            copy_between_devices(there, t, /*non_blocking=*/false);
          }
          here.push_back(std::move(there));
        }
        if (indices) here = expand_masks(Unbox<Tensor>::from(real[0]), TensorList(here.data(), int64_t(here.size())));
        for (const Tensor& t : here) twins.push_back(t.defined() ? make_meta_twin_of(t) : Tensor());
        real[i].as.list = {here.data(), int64_t(here.size())};
        meta[i].as.list = {twins.data(), int64_t(twins.size())};
      } else if (real[i].tag == MT_TAG_DEVICE) {
        meta[i] = box(Device{DeviceType::meta});
      }
    }
  }

  static Tensor make_meta_twin_of(const Tensor& t) {
    Tensor twin = make_tensor(make_storage(t->storage->nbytes, Device{DeviceType::meta}), t.dtype(), t.sizes(), t.strides(),
                              t.storage_offset());
    twin->wrapped_number = t->wrapped_number;
    return twin;
  }
};

// The outputs of the aclnn operator, and where they are copied afterwards.
struct Outputs {
  std::vector<Tensor> computed, targets;
};

Tensor empty_on_device_like(const Tensor& meta, Device device) { return empty_strided(meta.sizes(), meta.strides(), meta.dtype(), device); }

bool shares_with_argument(const Call& call, const Tensor& target) {
  const int inputs = call.op.functional->n_args;
  for (int i = 0; i < inputs && i < call.op.n_args; ++i)
    if (call.args[i].tag == MT_TAG_TENSOR && Unbox<Tensor>::from(call.args[i])->storage.get() == target->storage.get()) return true;
  return false;
}

// An in-place or out= result: written directly if it overlaps no input, otherwise through a copy.
void add_target(const Call& call, const Tensor& target, const Tensor& meta, Outputs& outputs) {
  if (target.sizes() != meta.sizes()) {  // the meta kernel has resized the meta version, with torch's warning
    const int64_t bytes = needed_bytes(meta.sizes(), meta.strides(), target.storage_offset(), target.itemsize());
    if (bytes > target->storage->nbytes) resize_storage(*target->storage, bytes);
    set_geometry(*target, meta.sizes(), meta.strides(), target.storage_offset());
  }
  const bool pointwise = body_of(*call.op.functional).cpu.pointwise != nullptr;
  const bool direct = pointwise || !shares_with_argument(call, target);
  outputs.targets.push_back(target);
  outputs.computed.push_back(direct ? target : empty(target.sizes(), target.dtype(), target.device()));
}

Outputs make_outputs(const Call& call, const Operands& operands, Results<8>& meta) {
  Outputs outputs;
  const Operator& op = call.op;
  if (op.form == Form::functional) {
    for (int i = 0; i < op.n_rets; ++i) {
      if (op.schema.returns[size_t(i)].alias_set) continue;
      Value& v = meta.values[i];
      if (v.tag == MT_TAG_TENSOR) {
        outputs.computed.push_back(empty_on_device_like(Unbox<Tensor>::from(v), operands.device));
      } else if (v.tag == MT_TAG_NONE) {
        outputs.computed.push_back(Tensor());
      } else {
        fail_without_kernel(op);
      }
    }
  } else if (op.functional == &op) {  // its own schema mutates: the arguments are the only results
  } else if (op.form == Form::inplace) {
    add_target(call, Unbox<Tensor>::from(call.args[0]), Unbox<Tensor>::from(operands.meta[0]), outputs);
  } else {
    const int first = op.n_args - op.functional->n_rets;
    for (int i = first; i < op.n_args; ++i)
      add_target(call, Unbox<Tensor>::from(call.args[i]), Unbox<Tensor>::from(operands.meta[i]), outputs);
  }
  return outputs;
}

void store_outputs(const Call& call, Outputs& outputs) {
  for (size_t i = 0; i < outputs.targets.size(); ++i)
    if (outputs.targets[i].get() != outputs.computed[i].get()) launch_copy(outputs.targets[i], outputs.computed[i]);
  int next = 0;
  for (int r = 0; r < call.op.n_rets; ++r) {
    const Argument& ret = call.op.schema.returns[size_t(r)];
    if (!ret.alias_set) {
      put(call.rets[r], std::move(outputs.computed[size_t(next++)]));
      continue;
    }
    for (int a = 0; a < call.op.n_args; ++a)
      if (call.op.schema.args[size_t(a)].alias_set == ret.alias_set) call.rets[r] = own(call.args[a]);
  }
}

struct RandomPair {
  uint64_t seed = 0, offset = 0;
};
RandomPair draw_seed_and_offset(const Call& call, const Spec& spec, Device device) {
  bool random = false;
  for (const Spec::Item& item : spec.items) random |= item.kind == Kind::seed;
  if (!random) return {};
  Generator* given = nullptr;
  for (int i = 0; i < call.op.n_args; ++i)
    if (call.args[i].tag == MT_TAG_GENERATOR) given = Unbox<Generator*>::from(call.args[i]);
  Generator& g = given ? *given : default_generator_of(device.index);
  check(g.device.type == DeviceType::npu, messages::expected_npu_generator, name_of(g.device.type));
  std::lock_guard lock(g.mutex);
  const RandomPair pair{g.counter_seed, g.counter_offset};
  g.counter_offset += counters_per_call;
  return pair;
}

// Element i of a list argument, for an operator that is called once per element.
Tensor list_element_or_undefined(const Value& list, int64_t i) {
  const TensorList tensors = Unbox<TensorList>::from(list);
  return tensors.size() ? tensors[i] : Tensor();
}

// Converts a tensor to int32, or transposes its last two dimensions; copies only if needed.
Tensor convert_to_form(const Tensor& t, PassedAs form) {
  if (form == PassedAs::int32) return empty(t.sizes(), Dtype::int32, t.device());
  if (t.dim() < 2) return t;
  Dims sizes(t.sizes()), strides(t.strides());
  std::swap(sizes[t.dim() - 1], sizes[t.dim() - 2]);
  std::swap(strides[t.dim() - 1], strides[t.dim() - 2]);
  return alias(t, sizes, strides, t.storage_offset());
}

// Adds an argument in the form that the specification requests, instead of the form that its type implies.
void add_in_requested_form(const Call& call, Arguments& arguments, const Operands& operands, const Spec::Item& item) {
  const Value& v = operands.real[item.argument];
  switch (item.form) {
    case PassedAs::scalar: return arguments.add_scalar(Scalar::of_value(v));
    case PassedAs::integer: {
      if (v.tag == MT_TAG_NONE) return arguments.add_word(1);
      const Scalar number = Scalar::of_value(v);
      if (number.is_real() && number.to_double() != double(number.to_int())) fail_without_kernel(call.op);
      return arguments.add_word(number.to_int());
    }
    case PassedAs::list: {
      if (v.tag != MT_TAG_NONE) return arguments.add(box(IntList(&v.as.i, 1)), false);
      Dims every;
      for (int64_t d = 0; d < Unbox<Tensor>::from(operands.real[call.op.tensor_args[0]]).dim(); ++d) every.push_back(d);
      return arguments.add(box(IntList(every)), false);
    }
    case PassedAs::either: {
      const Value& text = operands.real[item.second];
      return arguments.add_word(v.as.i || (text.tag == MT_TAG_STRING && Unbox<Text>::from(text) == item.choices[0].c_str()));
    }
    case PassedAs::choice: {
      int64_t place = 0;
      for (size_t i = 0; v.tag == MT_TAG_STRING && i < item.choices.size(); ++i)
        if (Unbox<Text>::from(v) == item.choices[i].c_str()) place = int64_t(i) + 1;
      return arguments.add_word(place);
    }
    default: return;
  }
}

// Raises if a tensor argument is given that the aclnn operator does not support.
void check_tensors_supported(const Call& call, const Spec& spec) {
  for (int8_t i : call.op.tensor_args) {
    if (call.op.form == Form::out && i >= call.op.functional->n_args) continue;
    bool taken = call.args[i].tag == MT_TAG_NONE;
    for (const Spec::Item& item : spec.items) taken |= item.kind == Kind::argument && item.argument == i;
    if (!taken) fail_without_kernel(call.op);
  }
}

// The arguments of one launch of an aclnn operator, and copies to be made after it.
struct Launch {
  const Call& call;
  const Body& body;
  const Spec& spec;
  const Operands& operands;
  const Outputs& outputs;
  int64_t element;  // of list arguments
  Arguments arguments{};
  std::vector<Tensor> held{};                          // until the operator is launched
  std::vector<std::pair<Tensor, Tensor>> widened{};    // results, and the wider tensors that the operator writes instead
  std::vector<int64_t> with_room{};                    // the words of results whose sizes the device decides

  void add_result(const Spec::Item& item) {
    const Tensor& result = outputs.computed[size_t(item.argument)];
    if (item.room != Spec::Item::Room::exact) with_room.push_back(arguments.count());
    if (item.form == PassedAs::plain || !result.defined()) return arguments.add_tensor(result);
    const Tensor& written = held.emplace_back(convert_to_form(result, item.form));
    arguments.add_tensor(written);
    if (item.form == PassedAs::int32) widened.emplace_back(result, written);
  }

  void add_int32_copy(const Spec::Item& item, const Tensor& t) {
    const Tensor& narrow = held.emplace_back(convert_to_form(t, item.form));
    launch_copy(narrow, t);
    arguments.add_tensor(narrow);
  }

  void add_number_tensor(const Spec::Item& item, const Tensor& t) {
    const bool number_variant = body.number_spec && &spec == &*body.number_spec;
    if (number_variant && item.argument == body.last_tensor) return arguments.add_scalar(Scalar::load(t.dtype(), t.data()), t.dtype());
    // Fills a device tensor by a kernel, which saves a copy from the host.
    const Tensor& filled = held.emplace_back(empty({}, t.dtype(), operands.device));
    launch_fill(filled, Scalar::load(t.dtype(), t.data()));
    arguments.add_tensor(filled);
  }

  void add_none(const Spec::Item& item, ArgType type) {
    if (type == ArgType::dtype)
      arguments.add_word(outputs.computed.empty() ? acl::type_undefined : type_of(outputs.computed[0].dtype()));
    else if (item.for_none && type == ArgType::real)
      arguments.add_real(*item.for_none, item.form == PassedAs::single_float);
    else if (item.for_none)
      arguments.add_word(int64_t(*item.for_none));
    else if (type == ArgType::ints)
      arguments.add(box(IntList()), false);  // empty means all dimensions
    else if (type == ArgType::integer || type == ArgType::real)
      fail_without_kernel(call.op);  // None has no number
    else
      arguments.add(operands.real[item.argument], item.form == PassedAs::single_float);
  }

  void add_argument(const Spec::Item& item) {
    const Value& v = operands.real[item.argument];
    const ArgType type = call.op.schema.args[size_t(item.argument)].type;
    const bool single_float = item.form == PassedAs::single_float;
    if (item.form == PassedAs::int32)
      add_int32_copy(item, Unbox<Tensor>::from(v));
    else if (item.form != PassedAs::plain && !single_float)
      add_in_requested_form(call, arguments, operands, item);
    else if (v.tag == MT_TAG_TENSOR && is_number(Unbox<Tensor>::from(v)))
      add_number_tensor(item, Unbox<Tensor>::from(v));
    else if (spec.each && holds_tensor_list(v))
      arguments.add_tensor(list_element_or_undefined(v, element));
    else if (v.tag == MT_TAG_NONE)
      add_none(item, type);
    else if (type != ArgType::scalar)
      arguments.add(v, single_float);
    else if (single_float)
      arguments.add_real(Scalar::of_value(v).to_double(), true);
    else
      arguments.add_scalar(Scalar::of_value(v));
  }

  void add_items() {
    const RandomPair random = draw_seed_and_offset(call, spec, operands.device);
    for (const Spec::Item& item : spec.items) switch (item.kind) {
        case Kind::seed: arguments.add_word(int64_t(random.seed)); break;
        case Kind::offset: arguments.add_word(int64_t(random.offset)); break;
        case Kind::constant: arguments.add_word(int64_t(item.constant)); break;
        case Kind::real: arguments.add_real(item.constant, false); break;
        case Kind::result: add_result(item); break;
        case Kind::argument: add_argument(item); break;
        case Kind::no_ints: arguments.add(box(IntList()), false); break;
      }
  }
};

// If `decided` is given, waits for the operator, and appends the sizes that the device chose for results whose sizes depend on values.
void launch_operator(const Call& call, const Body& body, const Spec& spec, const Operands& operands, const Outputs& outputs,
                     int64_t element, std::vector<Dims>* decided = nullptr) {
  Launch launch{call, body, spec, operands, outputs, element};
  launch.add_items();
  launch.arguments.run(spec.name.c_str(), operands.device.index);
  for (const auto& [result, written] : launch.widened) launch_copy(result, written);
  if (!decided) return;
  synchronize_stream(current_stream(operands.device.index));
  for (const int64_t word : launch.with_room) decided->push_back(launch.arguments.sizes_of(word));
}

// Runs an operator whose results' sizes depend on values: allocates the largest possible size, then narrows to the actual size.
void run_sized_by_device(const Call& call, const Body& body, const Operands& operands) {
  using Room = Spec::Item::Room;
  const Tensor& first = Unbox<Tensor>::from(operands.real[call.op.tensor_args[0]]);
  const int64_t n = first.numel();
  std::optional<int64_t> slices;  // number of slices along `dim`, if it is given
  for (int i = 0; i < call.op.n_args; ++i)
    if (call.op.schema.args[size_t(i)].name == "dim" && call.args[i].tag == MT_TAG_INT && first.dim())
      slices = first.size(wrap_dim(call.args[i].as.i, first.dim()));
  DeviceScope scope(operands.device.index);
  Outputs outputs;
  for (const Spec::Item& item : body.spec.items) {
    if (item.kind != Kind::result) continue;
    const bool whole = slices ? item.room == Room::items : item.room == Room::places;
    const Dims sizes = item.room == Room::rows ? Dims{n, first.dim()} : whole ? Dims(first.sizes()) : Dims{slices.value_or(n)};
    outputs.computed.push_back(empty(sizes, item.room == Room::items ? first.dtype() : Dtype::int64, operands.device));
  }
  std::vector<Dims> decided;
  launch_operator(call, body, body.spec, operands, outputs, 0, &decided);
  for (size_t i = 0; i < decided.size(); ++i) {
    Tensor& room = outputs.computed[i];
    if (room.sizes() == decided[i]) continue;
    const Tensor cut = alias(room, decided[i], contiguous_strides(decided[i]), 0);
    room = empty(decided[i], room.dtype(), operands.device);  // frees the unused memory
    copy_into(room, cut);
  }
  if (call.op.form == Form::out) {
    for (size_t i = 0; i < outputs.computed.size(); ++i) {
      const Tensor &target = Unbox<Tensor>::from(call.args[call.op.functional->n_args + int(i)]), &result = outputs.computed[i];
      check(result.dtype() == target.dtype(), messages::expected_out_dtype, ScalarName(result.dtype()), ScalarName(target.dtype()));
      resize_output(target, result.sizes());
      outputs.targets.push_back(target);
    }
  }
  store_outputs(call, outputs);
}

void run_on_npu(const Call& call, const void* data) {
  Body& body = *static_cast<Body*>(const_cast<void*>(data));
  const Operator& op = call.op;
  if (plugin()) fail_without_kernel(op);  // a plugin has no aclnn operators
  std::call_once(body.ready, [&] { read_specs(op, body); });
  const Operands operands(call);
  if (body.spec.sized_by_device()) return run_sized_by_device(call, body, operands);
  Results<8> meta;
  {
    BelowAutograd guard;
    const Slot slot = handler_at(op, Key::meta);
    const bool has_results = !(op.functional == &op && op.schema.mutates);
    if (!slot.fn && has_results) fail_without_kernel(op);
    if (slot.fn) slot.fn(Call{op, key_bit(Key::meta), operands.meta.data(), meta.values}, slot.data);
  }
  DeviceScope scope(operands.device.index);
  Outputs outputs = make_outputs(call, operands, meta);
  int64_t numel = 0;
  for (const Tensor& t : outputs.computed) numel += t.defined() ? t.numel() : 0;
  const Value* last = body.last_tensor >= 0 ? &operands.real[body.last_tensor] : nullptr;
  const bool number = body.number_spec && last->tag == MT_TAG_TENSOR && Unbox<Tensor>::from(*last).is_wrapped_number() &&
                      is_number(Unbox<Tensor>::from(*last));
  const Spec& spec = number ? *body.number_spec : body.spec;
  check_tensors_supported(call, spec);
  if (spec.each) {
    int64_t count = 0;
    for (int8_t i : op.tensor_args)
      if (operands.real[i].tag == MT_TAG_TENSORS) count = std::max(count, Unbox<TensorList>::from(operands.real[i]).size());
    for (int64_t i = 0; i < count; ++i) launch_operator(call, body, spec, operands, outputs, i);
  } else if (outputs.computed.empty() || numel) {  // nothing to compute for empty results
    launch_operator(call, body, spec, operands, outputs, 0);
  }
  for (size_t i = 0; i < outputs.computed.size() && spec.numbered; ++i) {
    bool named = false;
    for (const Spec::Item& item : spec.items) named |= item.kind == Kind::result && item.argument == int(i);
    if (!named) launch_fill(outputs.computed[i], Scalar(0));
  }
  store_outputs(call, outputs);
}

Spec spec_of(const Operator& op, const char* text) {
  std::vector<SpecArgument> arguments;
  const int inputs = op.form == Form::out && op.functional != &op ? op.n_args - op.functional->n_rets : op.n_args;
  for (int i = 0; i < inputs; ++i) arguments.push_back({op.schema.args[size_t(i)].name, op.schema.args[size_t(i)].type_text});
  int results = 0;
  for (const Argument& ret : op.functional->schema.returns) results += !ret.alias_set;
  try {
    return parse_spec(text, arguments, results);
  } catch (const std::string& what) {
    fail("{}", what);
  }
}

// Counts the tensor arguments in a schema text if its name is `name`, else returns -1. Cheaper than parsing the schema.
int count_tensors(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || (text[name.size()] != '.' && text[name.size()] != '(')) return -1;
  text = text.substr(0, text.find("->"));
  int n = 0;
  for (size_t at = 0; (at = text.find("Tensor ", at)) != std::string_view::npos; ++at) ++n;
  return n;
}
// Whether this overload has a number where another one has a tensor, so that the variant of the aclnn operator for numbers computes it.
bool has_number_variant(const Operator& op) {
  const std::string_view name = op.functional->schema.name;
  const int own = count_tensors(op.def->schema[size_t(op.functional->overload_index)], name);
  for (const char* text : op.def->schema)
    if (count_tensors(text, name) > own) return true;
  return false;
}

void read_specs(const Operator& op, Body& body) {
  const NpuKernel& kernel = npu_of(op);
  if (kernel.with_number && has_number_variant(op)) {
    body.spec = spec_of(op, kernel.with_number);
    return;
  }
  body.spec = spec_of(op, kernel.name);
  for (int8_t i : op.functional->tensor_args)
    if (op.schema.args[size_t(i)].type == ArgType::tensor) body.last_tensor = i;
  if (kernel.with_number && body.last_tensor > 0) body.number_spec = spec_of(op, kernel.with_number);
}

}  // namespace

void install(Operator& op) {
  const NpuKernel& kernel = npu_of(op);
  if (kernel && !runs_on_any_device(kernel)) set_slot(op, Key::npu, run_on_npu, new Body());  // lives as long as the operator
}

const char* kernel_text(const Operator& op, int variant) {
  const NpuKernel& kernel = npu_of(op);
  if (!kernel || runs_on_any_device(kernel) || variant < 0) return nullptr;
  switch (variant + (kernel.with_number && has_number_variant(op))) {
    case 0: return kernel.name;
    case 1: return kernel.with_number;
    default: return nullptr;
  }
}

void launch_copy(const Tensor& target, const Tensor& source) {
  if (target.numel() == 0) return;
  Arguments arguments;
  arguments.add_tensor(target);
  arguments.add_tensor(source);
  arguments.run("InplaceCopy", target.device().index);
}

void launch_fill(const Tensor& tensor, const Scalar& value) {
  if (tensor.numel() == 0) return;
  DeviceScope scope(tensor.device().index);
  Arguments arguments;
  arguments.add_tensor(tensor);
  arguments.add_scalar(value);
  arguments.run("InplaceFillScalar", tensor.device().index);
}

}  // namespace mt::npu
