// Structured rules, plain kernels, and the checks of results in every form.
#include "rules/form/rule.h"

#include <vector>

#include "core/backend.h"
#include "core/exception.h"
#include "core/messages.h"
#include "cpu/copy/copy.h"
#include "cpu/copy/nest.h"
#include "definition/definition.h"
#include "dispatch/tensor_args.h"
#include "rules/form/exact_out.h"
#include "rules/form/in_place.h"
#include "rules/form/one_device.h"
#include "rules/form/out_dtype.h"
#include "rules/form/overlap.h"
#include "rules/sparse/sparse.h"

namespace mt {

// ---- checks ----

bool resize_output(const Tensor& result, IntList sizes) {
  if (result.sizes() == sizes) return false;
  if (result.numel() != 0)
    warn(
        "An output with one or more elements was resized since it had shape {}, which does not match the required output shape {}. This "
        "behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have zero elements. You can "
        "explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
        result.sizes(), sizes);
  resize_to(result, sizes);
  return true;
}

bool overlaps_itself(const Tensor& t) {
  for (int64_t d = 0; t.numel() && d < t.dim(); ++d)
    if (t.size(d) > 1 && t.stride(d) == 0) return true;
  return false;
}

void check_no_internal_overlap(const Tensor& result) {
  check(
      !overlaps_itself(result),
      "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor "
      "before performing the operation.");
}

void warn_of_expanded(const Tensor& self, const char* operation, const char* indexed) {
  if (overlaps_itself(self) && !self.is_meta())
    warn(
        "Use of {} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also applies to "
        "advanced "
        "indexing e.g. {}",
        operation, indexed);
}

bool share_memory(const Tensor& a, const Tensor& b) {
  return a->storage.get() == b->storage.get() && a->storage && a->storage->data && a.numel() && b.numel();
}

namespace {
constexpr const char* shares_memory_text =
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() "
    "the "
    "tensor before performing the operation.";
int64_t span_bytes(const Tensor& t) { return needed_bytes(t.sizes(), t.strides(), 0, t.itemsize()); }
}  // namespace

void copy_into(const Tensor& target, const Tensor& source) {
  check(!is_sparse(target) && !is_sparse(source), "a kernel of dense tensors was given a sparse one");
  if (target.numel() == 0) return;
  if (!target.device().is_cpu() || !source.device().is_cpu()) return copy_between_devices(target, source, /*non_blocking=*/false);
  cpu::Nest nest(target.sizes());
  nest.add(target.data(), target.itemsize(), target.strides());
  nest.add_broadcast(source.data(), source.itemsize(), source.sizes(), source.strides());
  nest.finish();
  cpu::copy_nest(nest, target.dtype(), source.dtype());
}

void store_result(const Tensor& out, const Tensor& made) {
  if (out.sizes() != made.sizes()) resize_to(out, made.sizes());
  check_no_internal_overlap(out);
  if (!out.is_meta()) copy_into(out, made);
}

void check_no_partial_overlap(const Tensor& result, const Tensor& input) {
  if (result.get() == input.get() || !share_memory(result, input)) return;
  if (!result.is_non_overlapping_and_dense() || !input.is_non_overlapping_and_dense()) return;  // too hard to decide, as in torch
  const char *a = static_cast<const char*>(result.data()), *b = static_cast<const char*>(input.data());
  int64_t na = span_bytes(result), nb = span_bytes(input);
  bool same = a == b && na == nb && result.strides() == input.strides();
  check(same || a >= b + nb || b >= a + na, shares_memory_text);
}

void check_no_overlap(const Tensor& result, const Tensor& input) {
  const bool same = result.get() == input.get() || (share_memory(result, input) && result.data() == input.data() &&
                                                    result.sizes() == input.sizes() && result.strides() == input.strides());
  check(!same, shares_memory_text);
  check_no_partial_overlap(result, input);
}

void check_no_overlap(const Tensor& result, TensorList inputs) {
  for (const Tensor& input : inputs) check_no_overlap(result, input);
}

void check_out_dtype(const OutPolicy& policy, Dtype result, Dtype out) {
  if (policy.casts ? can_cast(result, out) : result == out) return;
  if (policy.dtype_error && !(policy.dtype_error_if_uncastable && can_cast(result, out)))
    fail(policy.dtype_error_kind, policy.dtype_error, result, out, ScalarName(result), ScalarName(out));
  if (policy.casts) return check_result_cast(result, out);
  fail(messages::expected_out_dtype, ScalarName(result), ScalarName(out));
}

void check_result_cast(Dtype from, Dtype to) { check(can_cast(from, to), messages::result_type_cannot_be_cast, from, to); }

// ---- structured ----

namespace {

struct StructuredBody {
  BoxedKernel infer;
  CpuKernel kernel;
  std::optional<ExactOut> exact;  // set if out= must have the result's dtype
  const OutPolicy* policy = nullptr;
};

void check_exact(const Call& call, const ExactOut& exact, const OutPolicy* policy, Dtype dtype, const Tensor& target) {
  if (policy && policy->dtype_error && dtype != target.dtype()) fail(policy->dtype_error_kind, policy->dtype_error, dtype, target.dtype());
  if (exact.dtype_text)
    check(dtype == target.dtype(), exact.dtype_text, dtype, target.dtype());
  else
    check(dtype == target.dtype(), messages::expected_out_dtype, ScalarName(dtype), ScalarName(target.dtype()));
  if (!exact.refuses_overlap) return;
  check_no_internal_overlap(target);
  for (int8_t a : call.op.functional->tensor_args)
    if (call.args[a].tag == MT_TAG_TENSOR) check_no_overlap(target, Unbox<Tensor>::from(call.args[a]));
}

// Refuses an out= that overlaps an input, for operators that must not overwrite one.
void check_no_overlap_with_inputs(const OutPolicy* policy, const Operator& functional, const Value* args, const Tensor& target) {
  if (!policy || !policy->refuses_overlap) return;
  for_each_tensor(functional, args, [&](const Tensor& input) { check_no_overlap(target, input); });
}

// Raises torch's special error messages for an out= of a dtype to which the result cannot be cast.
void check_out_cast(const OutPolicy* policy, Dtype from, Dtype to) {
  if (policy && policy->dtype_error && !can_cast(from, to)) fail(policy->dtype_error_kind, policy->dtype_error, from, to);
  check_result_cast(from, to);
}

// The device of the first tensor argument; if one is a meta tensor, the results are too.
Device device_of_call(const Call& call) {
  std::optional<Device> found;
  auto look_at = [&](const Tensor& t) {
    if (t.defined() && (!found || t.is_meta())) found = t.device();
  };
  for (int8_t i : call.op.functional->tensor_args) {
    const Value& v = call.args[i];
    if (v.tag == MT_TAG_TENSOR) look_at(Unbox<Tensor>::from(v));
    if (v.tag == MT_TAG_TENSORS && v.as.list.size) look_at(Unbox<TensorList>::from(v)[0]);
    if (found && !(call.keys & key_bit(Key::meta))) break;
  }
  if (found) return *found;
  for (int i = 0; i < call.op.n_args; ++i)
    if (call.args[i].tag == MT_TAG_DEVICE) return Unbox<Device>::from(call.args[i]);
  return Device();
}

// Checks that `self` of a product that adds to `self` broadcasts to the result.
void check_self_expands(const Call& call, const StructuredBody& body, const Specs& specs) {
  if (!body.exact || !body.exact->self_expands) return;
  const Tensor& self = Unbox<Tensor>::from(call.args[0]);
  const IntList sizes = specs.items[0].sizes;
  const Dtype dtype = specs.items[0].dtype;
  if (call.op.form != Form::inplace) {
    if (self.sizes() != sizes) op<"expand">(self, sizes);  // raises if it does not broadcast
    return check(self.dtype() == dtype, messages::expected_scalar_type, self.dtype(), dtype);
  }
  if (call.keys & key_bit(Key::meta)) check(self.sizes() == sizes, messages::output_does_not_match_broadcast_shape, self.sizes(), sizes);
  check(self.dtype() == dtype, "Bad in-place call: input tensor dtype {} and output tensor dtype {} should match", ScalarName(self.dtype()),
        ScalarName(dtype));
  check(self.sizes() == sizes, messages::bad_in_place_call, self.sizes(), sizes);
}

void infer_specs(const Call& call, const StructuredBody& body, Specs& specs) {
  body.infer.fn(Call{call.op, call.keys, call.args, reinterpret_cast<Value*>(&specs)}, body.infer.data);
  for (int i = 0; i < specs.count; ++i)
    if (specs.items[i].device.type == DeviceType(-1)) specs.items[i].device = device_of_call(call);
  check_self_expands(call, body, specs);
}

Tensor make_output(const OutputSpec& spec) {
  return spec.strided ? empty_strided(spec.sizes, spec.strides, spec.dtype, spec.device) : empty(spec.sizes, spec.dtype, spec.device);
}

void run_kernel(const Call& call, const StructuredBody& body, Tensor* outputs, int count) {
  if (call.keys & key_bit(Key::meta)) return;
  Value rets[8];
  for (int i = 0; i < count; ++i) rets[i] = box(outputs[i]);
  body.kernel.fn(Call{call.op, call.keys, call.args, rets}, body.kernel.data);
}

void run_structured_functional(const Call& call, const void* data) {
  const auto& body = *static_cast<const StructuredBody*>(data);
  Specs specs;
  infer_specs(call, body, specs);
  Tensor outputs[8];
  for (int i = 0; i < specs.count; ++i) outputs[i] = make_output(specs.items[i]);
  run_kernel(call, body, outputs, specs.count);
  for (int i = 0; i < specs.count; ++i) put(call.rets[i], std::move(outputs[i]));
}

// Computes into new tensors, then stores: the result may be an input.
void run_structured_inplace(const Call& call, const void* data) {
  const auto& body = *static_cast<const StructuredBody*>(data);
  const Tensor& self = Unbox<Tensor>::from(call.args[0]);
  check_no_internal_overlap(self);
  Specs specs;
  infer_specs(call, body, specs);
  check(specs.items[0].sizes == self.sizes(), messages::output_does_not_match_broadcast_shape, self.sizes(), specs.items[0].sizes);
  check_result_cast(specs.items[0].dtype, self.dtype());
  check(specs.items[0].device.type == self.device().type, messages::found_two_devices, self.device(), specs.items[0].device);
  Tensor result = make_output(specs.items[0]);
  run_kernel(call, body, &result, 1);
  if (!self.is_meta()) copy_into(self, result);
  put(call.rets[0], self);
}

void check_out_target(const Call& call, const StructuredBody& body, const OutputSpec& spec, const Tensor& target) {
  if (body.policy && body.policy->device_error && target.device().type != spec.device.type)
    fail(body.policy->device_error, spec.device, target.device());
  check_copy_device(spec.device, target.device());
  check(target.device().type == spec.device.type, messages::found_two_devices, spec.device, target.device());
  if (body.exact)
    check_exact(call, *body.exact, body.policy, spec.dtype, target);
  else
    check_out_cast(body.policy, spec.dtype, target.dtype());
}

// Whether a tensor that the caller passed for the result shares memory with an argument.
struct Overlap {
  bool is_argument = false, has_list = false;
};
Overlap find_overlap(const Call& call, const StructuredBody& body, const Tensor& target) {
  Overlap overlap;
  const bool over_first = body.exact && body.exact->over_first && call.args[0].tag == MT_TAG_TENSOR &&
                          Unbox<Tensor>::from(call.args[0]).get() == target.get();
  for (int8_t a : call.op.functional->tensor_args) {
    if (call.args[a].tag != MT_TAG_TENSOR) {
      overlap.has_list = true;
      continue;
    }
    if (a == 0 && over_first) continue;
    const Tensor& argument = Unbox<Tensor>::from(call.args[a]);
    overlap.is_argument |= argument.get() == target.get() || share_memory(target, argument);
  }
  return overlap;
}

bool takes_strides_of(const StructuredBody& body, const OutputSpec& spec, const Tensor& target) {
  return spec.strided && (!body.policy || body.policy->takes_strides || (body.policy->takes_strides_if_empty && target.numel() == 0));
}

// Whether the kernel can write its result into `target`: it writes row-major elements, also for dimensions of size 1.
bool can_write_directly(const OutputSpec& spec, const Tensor& target, const Overlap& overlap) {
  return !overlap.is_argument && !overlap.has_list && target.dtype() == spec.dtype && !spec.strided &&
         target.strides() == IntList(contiguous_strides(target.sizes()));
}

void run_structured_out(const Call& call, const void* data) {
  const auto& body = *static_cast<const StructuredBody*>(data);
  int first = call.op.functional->n_args;
  Specs specs;
  infer_specs(call, body, specs);
  Tensor outputs[8];
  bool waits[8];
  for (int i = 0; i < specs.count; ++i) {
    const Tensor& target = Unbox<Tensor>::from(call.args[first + i]);
    const OutputSpec& spec = specs.items[i];
    check_out_target(call, body, spec, target);
    const Overlap overlap = find_overlap(call, body, target);
    // A result that is also an argument keeps its shape until the kernel has read it.
    waits[i] = overlap.is_argument && target.sizes() != IntList(spec.sizes);
    const bool takes_strides = takes_strides_of(body, spec, target);
    const bool resized = !waits[i] && resize_output(target, spec.sizes);
    if (resized && takes_strides && target.dtype() == spec.dtype) set_geometry(*target, spec.sizes, spec.strides, target.storage_offset());
    check_no_internal_overlap(target);
    check_no_overlap_with_inputs(body.policy, *call.op.functional, call.args, target);
    const bool direct = can_write_directly(spec, target, overlap);
    outputs[i] = direct || (call.keys & key_bit(Key::meta) && !waits[i]) ? target : make_output(spec);
  }
  run_kernel(call, body, outputs, specs.count);
  for (int i = 0; i < specs.count; ++i) {
    const Tensor& target = Unbox<Tensor>::from(call.args[first + i]);
    if (waits[i]) resize_output(target, specs.items[i].sizes);
    if (outputs[i].get() != target.get() && !target.is_meta()) copy_into(target, outputs[i]);
    put(call.rets[i], target);
  }
}

struct StructuredRule : Rule {
  explicit StructuredRule(BoxedKernel f, std::optional<ExactOut> e = std::nullopt) : infer(f), exact(e) {}
  void install(Operator& op) const override {
    auto* body = new StructuredBody{infer, body_of(op).cpu ? body_of(op).cpu : op.def->cpu, exact,
                                    op.form == Form::out ? out_policy_of(op) : nullptr};
    KernelFn fn = op.form == Form::functional ? run_structured_functional
                  : op.form == Form::inplace  ? run_structured_inplace
                                              : run_structured_out;
    if (body->kernel) set_slot(op, Key::cpu, fn, body);
    if (body->kernel && runs_on_any_device(npu_of(op))) set_slot(op, Key::npu, fn, body);
    set_slot(op, Key::meta, fn, body);
  }
  BoxedKernel infer;
  std::optional<ExactOut> exact;
};

// ---- plain kernels, views, composites ----

struct PlainBody {
  BoxedKernel kernel;
  const OutPolicy* policy = nullptr;
};

bool aliases_argument(const Operator& op) { return op.form != Form::functional && op.functional == &op; }

// A kernel whose schema itself mutates (fill_, copy_): results that it does not return are the mutated arguments.
void run_plain_mutating(const Call& call, const void* data) {
  const auto& body = *static_cast<const PlainBody*>(data);
  body.kernel.fn(call, body.kernel.data);
  for (int r = 0; r < call.op.n_rets; ++r) {
    const Argument& ret = call.op.schema.returns[size_t(r)];
    if (call.rets[r].tag != MT_TAG_NONE || !ret.alias_set) continue;
    for (int a = 0; a < call.op.n_args; ++a)
      if (call.op.schema.args[size_t(a)].alias_set == ret.alias_set) call.rets[r] = own(call.args[a]);
  }
}

// The argument that the kernel of the innermost call may modify in place, if any.
thread_local const TensorImpl* modifiable_tensor = nullptr;
struct AllowInPlaceScope {
  explicit AllowInPlaceScope(const TensorImpl* self) : outer(modifiable_tensor) { modifiable_tensor = self; }
  ~AllowInPlaceScope() { modifiable_tensor = outer; }
  AllowInPlaceScope(const AllowInPlaceScope&) = delete;
  const TensorImpl* outer;
};
void run_changing(const Call& call, const void* data) {
  const AllowInPlaceScope nothing(nullptr);  // this call allows nothing, whatever the enclosing call allows
  const auto& kernel = *static_cast<const BoxedKernel*>(data);
  kernel.fn(call, kernel.data);
}
bool is_contiguous_and_unshared(const Call& call, const Tensor& self) {
  if (!self.device().is_cpu() || !self.is_contiguous()) return false;
  for (int a = 1; a < call.op.n_args; ++a)
    if (call.args[a].tag == MT_TAG_TENSOR && share_memory(self, Unbox<Tensor>::from(call.args[a]))) return false;
  return true;
}

// Refuses inputs that overlap the target of a kernel that writes while it reads, as torch does for these operators.
void check_sources_apart(const Call& call, const PlainBody& body, const Tensor& target) {
  if (body.kernel.fn != run_changing || !target.device().is_cpu()) return;
  for (int8_t a : call.op.functional->tensor_args)
    if (a > 0 && call.args[a].tag == MT_TAG_TENSOR) check_no_overlap(target, Unbox<Tensor>::from(call.args[a]));
}

// In-place and out forms of a functional kernel: compute, then store.
void run_plain_inplace(const Call& call, const void* data) {
  const auto& body = *static_cast<const PlainBody*>(data);
  const Tensor& self = Unbox<Tensor>::from(call.args[0]);
  Results<8> results;
  const Call functional{*call.op.functional, call.keys, call.args, results.values};
  if (body.kernel.fn == run_changing && is_contiguous_and_unshared(call, self)) {
    const AllowInPlaceScope scope(self.get());
    const auto& kernel = *static_cast<const BoxedKernel*>(body.kernel.data);
    kernel.fn(functional, kernel.data);
  } else {
    body.kernel.fn(functional, body.kernel.data);
  }
  const Tensor& result = Unbox<Tensor>::from(results.values[0]);
  if (result.get() == self.get() && !call.op.composite) return put(call.rets[0], self);
  if (is_sparse(self) || is_sparse(result)) {
    store_sparse(self, result);
    return put(call.rets[0], self);
  }
  if (call.op.functional->schema.is_view) {  // squeeze_ and similar operators only change the geometry
    set_geometry(*self, result.sizes(), result.strides(), result.storage_offset());
    return put(call.rets[0], self);
  }
  check(result.sizes() == self.sizes(), messages::output_does_not_match_broadcast_shape, self.sizes(), result.sizes());
  check_result_cast(result.dtype(), self.dtype());
  check(!result.is_meta() || self.is_meta(), ErrorKind::not_implemented, messages::copy_out_of_meta_tensor);
  check(result.device() == self.device(), messages::found_two_devices, self.device(), result.device());
  if (call.op.composite) {
    op<"copy_">(self, result);
  } else {
    check_no_internal_overlap(self);
    check_sources_apart(call, body, self);
    if (!self.is_meta()) copy_into(self, result);
  }
  put(call.rets[0], self);
}

// The device of the tensor arguments other than `out`: the rule saw only meta tensors if `out` is one. Returns `otherwise` if there are
// none, or one of them is a meta tensor.
Device device_of_arguments(const Call& call, Device otherwise) {
  std::optional<Device> found;
  for (int8_t i : call.op.functional->tensor_args) {
    if (call.args[i].tag != MT_TAG_TENSOR || call.op.functional->schema.args[size_t(i)].mutated) continue;
    const Device d = Unbox<Tensor>::from(call.args[i]).device();
    if (d.type == DeviceType::meta) return otherwise;
    if (!found) found = d;
  }
  return found.value_or(otherwise);
}

void run_plain_out(const Call& call, const void* data) {
  const auto& body = *static_cast<const PlainBody*>(data);
  const Operator& functional = *call.op.functional;
  Results<8> results;
  body.kernel.fn(Call{functional, call.keys, call.args, results.values}, body.kernel.data);
  for (int i = 0; i < functional.n_rets; ++i) {
    const Value& slot = call.args[functional.n_args + i];
    if (slot.tag != MT_TAG_TENSOR) fail(ErrorKind::not_implemented, "aten::{}: out= of a list is not supported", functional.schema.name);
    const Tensor& target = Unbox<Tensor>::from(slot);
    const Tensor& result = Unbox<Tensor>::from(results.values[i]);
    if (is_sparse(target) || is_sparse(result)) {
      store_sparse(target, result);
      put(call.rets[i], target);
      continue;
    }
    const Device place = target.is_meta() && result.is_meta() ? device_of_arguments(call, target.device()) : result.device();
    if (body.policy && body.policy->device_error && target.device().type != place.type)
      fail(body.policy->device_error, place, target.device());
    check_copy_device(place, target.device());
    check(target.device().type == result.device().type, out_device_differs, result.device(), target.device());
    if (body.policy)
      check_out_dtype(*body.policy, result.dtype(), target.dtype());
    else if (functional.composite)
      check_result_cast(result.dtype(), target.dtype());
    else  // torch generates these forms itself, and does not convert in them
      check(result.dtype() == target.dtype(), messages::expected_out_dtype, ScalarName(result.dtype()), ScalarName(target.dtype()));
    const bool resized = resize_output(target, result.sizes());
    const bool laid_out = resized && (!body.policy || body.policy->takes_strides) && result.is_non_overlapping_and_dense();
    if (laid_out) set_geometry(*target, result.sizes(), result.strides(), target.storage_offset());
    check_no_internal_overlap(target);
    check_sources_apart(call, body, target);
    check_no_overlap_with_inputs(body.policy, functional, call.args, target);
    if (!target.is_meta()) copy_into(target, result);
    put(call.rets[i], target);
  }
}

// The out form of a factory: dtype and device are those of `out`, which is resized to any size.
void run_factory_out(const Call& call, const void* data) {
  const auto& body = *static_cast<const PlainBody*>(data);
  const Operator& functional = *call.op.functional;
  const Tensor& target = Unbox<Tensor>::from(call.args[call.op.n_args - 1]);
  Small<Value, 16> args(functional.n_args);
  for (int i = 0, given = 0; i < functional.n_args; ++i) {
    const std::string& name = functional.schema.args[size_t(i)].name;
    args[i] = !is_tensor_option(name) ? call.args[given++]
              : name == "dtype"       ? box(target.dtype())
              : name == "device"      ? box(target.device())
                                      : none_value();
  }
  Results<8> results;
  body.kernel.fn(Call{functional, call.keys, args.data(), results.values}, body.kernel.data);
  const Tensor& result = Unbox<Tensor>::from(results.values[0]);
  const bool keeps_shape = body.policy && body.policy->keeps_shape && !target.is_meta();
  if (keeps_shape ? target.numel() != result.numel() : target.sizes() != result.sizes()) resize_to(target, result.sizes());
  // A single value for all elements may be written to elements that share memory; other results may not.
  if (keeps_shape || call.op.def->traits & MT_OP_RANDOM) check_no_internal_overlap(target);
  if (!target.is_meta())
    copy_into(target, target.sizes() == result.sizes() ? result : alias(result, target.sizes(), contiguous_strides(target.sizes()), 0));
  put(call.rets[0], target);
}

}  // namespace

namespace {

// A meta tensor with the sizes and strides of `t`.
Tensor make_meta_twin(const Tensor& t) {
  const Tensor twin = make_tensor(make_storage(t->storage->nbytes, Device{DeviceType::meta}), t.dtype(), t.sizes(), t.strides(),
                                  t.storage_offset());
  twin->wrapped_number = t->wrapped_number;
  return twin;
}

// Runs a kernel that supports meta tensors on meta tensors only: replaces other tensor arguments by meta tensors of the same geometry,
// since the kernel might otherwise read values that do not exist.
void run_meta(const Call& call, const void* data) {
  const auto& body = *static_cast<const PlainBody*>(data);
  if (call.op.form == Form::out && call.op.n_rets == 1) {
    const Device place = Unbox<Tensor>::from(call.args[call.op.n_args - 1]).device();
    check_copy_device(device_of_arguments(call, place), place);
  }
  Small<Value, 16> args(List<Value>(call.args, call.op.n_args));
  std::vector<Tensor> twins;
  std::vector<std::vector<Tensor>> lists;
  twins.reserve(call.op.tensor_args.size());
  lists.reserve(call.op.tensor_args.size());
  for (int8_t i : call.op.tensor_args) {
    if (args[i].tag == MT_TAG_TENSOR) {
      const Tensor& t = Unbox<Tensor>::from(args[i]);
      if (t.is_meta()) continue;
      if (call.op.schema.args[size_t(i)].mutated) {
        if (body_of(call.op).cpu.fn == body.kernel.fn)
          return body.kernel.fn(call, body.kernel.data);  // the kernel supports both: it checks by itself
        fail("Expected all tensors to be on the same device, but found at least two devices, {} and meta!", t.device());
      }
      twins.push_back(make_meta_twin(t));
      args[i] = box(twins.back());
    } else if (args[i].tag == MT_TAG_TENSORS) {  // a list of optional tensors holds indices, whose values may decide a shape
      std::vector<Tensor>& list = lists.emplace_back();
      for (const Tensor& t : Unbox<TensorList>::from(args[i])) list.push_back(t.is_meta() ? t : make_meta_twin(t));
      args[i] = box(TensorList(list.data(), int64_t(list.size())));
    }
  }
  body.kernel.fn(Call{call.op, call.keys, args.data(), call.rets}, body.kernel.data);
}

}  // namespace

CpuKernel make_in_place_kernel(BoxedKernel kernel) {
  CpuKernel k;
  k.fn = run_changing;
  k.data = new BoxedKernel(kernel);
  return k;
}
bool may_modify_in_place(const Tensor& self) { return modifiable_tensor == self.get(); }
Tensor reuse_self_or_copy(const Tensor& self) {
  if (may_modify_in_place(self)) return self;
  Tensor out = empty(self.sizes(), self.dtype(), self.device());
  if (!self.is_meta()) copy_into(out, self);
  return out;
}

const Rule* structured_rule(BoxedKernel infer) { return new StructuredRule(infer); }
const Rule* structured_exact_rule(BoxedKernel infer, ExactOut out) { return new StructuredRule(infer, out); }

void install_without_rule(Operator& op, KernelFn write) {
  const OpDef& def = body_of(op);
  auto set = [&](Key key, BoxedKernel kernel) {
    if (!kernel) return;
    if (op.form == Form::functional) return set_slot(op, key, kernel.fn, kernel.data);
    auto* body = new PlainBody{kernel, op.form == Form::out ? out_policy_of(op) : nullptr};
    KernelFn fn = aliases_argument(op) ? run_plain_mutating : op.form == Form::inplace ? run_plain_inplace : run_plain_out;
    if (op.form == Form::out && !aliases_argument(op) && has_tensor_options(op.functional->schema)) fn = run_factory_out;
    set_slot(op, key, fn, body);
  };
  if (def.view)
    for (Key key : {Key::cpu, Key::npu, Key::meta}) set(key, def.view);
  if (write && op.form == Form::inplace) {
    for (Key key : {Key::cpu, Key::meta}) set_slot(op, key, write, nullptr);
  } else {
    set(Key::cpu, def.cpu);
    if (def.meta) set(Key::meta, BoxedKernel(run_meta, new PlainBody{def.meta, nullptr}));
  }
  const NpuKernel& npu = npu_of(op);
  if (runs_on_any_device(npu)) set(Key::npu, def.cpu);
  // The composite body is installed for an NPU without a kernel of its own, and for all devices unless there is a fused CPU kernel.
  if (def.composite && (!npu || (runs_on_any_device(npu) && !def.cpu))) set(Key::npu, def.composite);
  if (def.composite && !def.cpu)
    for (Key key : {Key::cpu, Key::meta, Key::autograd}) set(key, def.composite);
}

}  // namespace mt
