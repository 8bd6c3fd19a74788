// The pointwise rule: promotion, shapes and forms.
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/narrow_dtypes.h"

#include "core/exception.h"
#include "core/messages.h"
#include "cpu/copy/nest.h"
#include "cpu/threads/parallel.h"
#include "definition/definition.h"
#include "dispatch/user.h"
#include "rules/form/one_device.h"
#include "rules/form/out_dtype.h"
#include "rules/pointwise/conversion.h"
#include "rules/pointwise/pointwise_chain.h"
#include "rules/pointwise/pointwise_layout.h"

namespace mt {

// ---- promotion ----

namespace {

struct PromotionState {
  Dtype dim = Dtype::none, zero = Dtype::none, wrapped = Dtype::none;

  static Dtype join(Dtype a, Dtype b) { return a == Dtype::none ? b : b == Dtype::none ? a : promote(a, b); }
  // Promotes two dtypes, of which `higher` wins unless `lower` has a higher category.
  static Dtype promote_by_category(Dtype higher, Dtype lower) {
    if (higher == Dtype::none) return lower;
    if (lower == Dtype::none || is_complex(higher)) return higher;
    if (is_floating(higher)) return is_complex(lower) ? complex_of(higher) : higher;
    if (higher == Dtype::boolean || is_floating(lower) || is_complex(lower)) return promote(higher, lower);
    return higher;
  }
  void add(const Tensor& t) {
    Dtype d = t.dtype();
    if (t.is_wrapped_number()) {
      if (is_complex(d))
        d = complex_of(default_dtype());
      else if (is_floating(d))
        d = default_dtype();
      wrapped = join(wrapped, d);
    } else if (t.dim() == 0) {
      zero = join(zero, d);
    } else {
      dim = join(dim, d);
    }
  }
  Dtype result() const { return promote_by_category(dim, promote_by_category(zero, wrapped)); }
};

bool same_geometry(const Tensor& a, const Tensor& b) { return a.sizes() == b.sizes() && a.strides() == b.strides(); }

}  // namespace

Dtype result_type(const Tensor* tensors, int64_t n) {
  PromotionState state;
  for (int64_t i = 0; i < n; ++i)
    if (tensors[i].defined()) state.add(tensors[i]);
  return state.result();
}

void pointwise_geometry(const Tensor* inputs, int n, Dims& sizes, Dims& strides) {
  sizes = inputs[0].sizes();
  bool same_shape = true;
  for (int i = 1; i < n; ++i) {
    if (inputs[i].sizes() == IntList(sizes)) continue;
    same_shape = false;
    sizes = broadcast_shapes(sizes, inputs[i].sizes());
  }
  strides.clear();
  if (same_shape) {
    bool contiguous = true, alike = true;
    for (int i = 0; i < n; ++i) {
      contiguous &= inputs[i].is_contiguous();
      alike &= same_geometry(inputs[i], inputs[0]);
    }
    if (contiguous) return;
    if (alike && inputs[0].is_non_overlapping_and_dense()) {
      strides = inputs[0].strides();
      return;
    }
  }
  if (sizes.size() < 2) return;
  Dims full[max_pointwise_inputs];
  IntList views[max_pointwise_inputs];
  int count = 0;
  for (int i = 0; i < n; ++i) {
    Dims& f = full[count];
    f.resize(sizes.size(), 0);
    const int64_t offset = sizes.size() - inputs[i].dim();
    for (int64_t d = 0; d < inputs[i].dim(); ++d)
      if (inputs[i].size(d) == sizes[d + offset] && (inputs[i].size(d) != 1 || sizes[d + offset] == 1))
        f[d + offset] = inputs[i].stride(d) * inputs[i].itemsize();
    views[count++] = f;
  }
  Small<int64_t, 6> order;
  cpu::order_dimensions(sizes, views, count, order);
  bool is_reversed = true;
  for (int64_t i = 0; i < order.size(); ++i) is_reversed &= order[i] == order.size() - 1 - i;
  if (is_reversed) return;
  strides.resize(sizes.size());
  int64_t step = 1;
  for (int64_t d : order) {
    strides[d] = step;
    step *= sizes[d];  // as in torch: 0 from the first empty dimension on
  }
}

Tensor empty_result_of(const Tensor* inputs, int n, Dtype dtype, Device device) {
  Dims sizes, strides;
  pointwise_geometry(inputs, n, sizes, strides);
  return strides.empty() ? empty(sizes, dtype, device) : empty_strided(sizes, strides, dtype, device);
}
void add_result_of(Specs& out, const Tensor* inputs, int n, Dtype dtype) {
  Dims sizes, strides;
  pointwise_geometry(inputs, n, sizes, strides);
  strides.empty() ? out.add(sizes, dtype) : out.add_strided(sizes, strides, dtype);
}

// ---- the rule ----

namespace {

struct PointwiseBody {
  PointwiseOptions options;
  const PointwiseKernel* kernel;
  const PointwiseKernel* (*choose)(const Call& call);
  ResultLayout layout;
  const OutPolicy* out_policy;  // of an out= form, where it is not what the family does
};

struct Inputs {
  Tensor tensors[max_pointwise_inputs];
  int count = 0;
  int first_operand = 0, operands = 0;  // the others are numbers, which do not affect the result's strides
  Device device;
  PromotionState state;

  void add(Tensor t, bool is_operand) {
    if (is_operand) {
      if (!operands) first_operand = count;
      operands = count + 1 - first_operand;
    }
    tensors[count++] = std::move(t);
  }
};

bool is_number_arg(const Argument& a) { return a.type == ArgType::scalar || a.type == ArgType::real || a.type == ArgType::integer; }
// Whether a number takes part in type promotion: one of the first two operands does, and so does an optional bound.
bool promotes_argument(const PointwiseBody& body, const Argument& a, int index) {
  return body.options.scalars_promote && a.type == ArgType::scalar && (index < 2 || a.optional);
}
bool is_omitted(const Argument& a, const Value& v) { return a.optional && v.tag == MT_TAG_NONE; }

// Raises torch's error messages if a meta tensor is combined with others. In an in-place form of two operands the second one counts as
// copied into the first; elsewhere the tensors count as operands.
void check_meta_mixture(const Call& call, const Inputs& in) {
  int first = 0;
  while (first < in.count && is_cpu_number(in.tensors[first])) ++first;
  for (int i = first + 1; i < in.count; ++i) {
    if (is_cpu_number(in.tensors[i])) continue;
    if (call.op.form == Form::inplace && in.count == 2) check_copy_device(in.tensors[i].device(), in.tensors[first].device());
    check_expected_device(in.tensors[i], in.tensors[first].device());
  }
}

// The kernel's inputs are the tensor and number arguments in schema order.
void gather_inputs(const Call& call, const PointwiseBody& body, const PointwiseKernel& kernel, Inputs& in) {
  const Operator& functional = *call.op.functional;
  bool have_device = false;
  for (int i = 0; i < functional.n_args && in.count < kernel.inputs; ++i) {
    const Argument& a = functional.schema.args[size_t(i)];
    if (is_omitted(a, call.args[i])) continue;
    if (a.type == ArgType::tensor) {
      const Tensor& t = Unbox<Tensor>::from(call.args[i]);
      check(t.defined(), ErrorKind::type, "{}(): argument '{}' must be Tensor, not None", call.op.base_name, a.name);
      if (!have_device || (in.device.is_cpu() && !t.device().is_cpu())) in.device = t.device();
      have_device = true;
      in.state.add(t);
      in.add(t, true);
    } else if (is_number_arg(a)) {
      Tensor t = wrapped_number(Scalar::of_value(call.args[i]));
      const bool is_promoted = promotes_argument(body, a, in.count);
      if (is_promoted) in.state.add(t);
      // If one overload serves tensors and numbers, as in clamp, torch's loops take no numbers as operands.
      in.add(std::move(t), is_promoted && !functional.schema.overload.empty());
    }
  }
  if (call.keys & key_bit(Key::meta)) check_meta_mixture(call, in);
  for (int i = 0; i < in.count; ++i) {
    const Tensor& t = in.tensors[i];
    check(t.device() == in.device || (t.dim() == 0 && t.device().is_cpu()), messages::found_two_devices, in.device, t.device());
  }
}

// Numbers that are not operands must be representable in the compute dtype.
void check_numbers_fit(const Call& call, const PointwiseBody& body, const PointwiseKernel& kernel, Dtype compute) {
  const Operator& functional = *call.op.functional;
  const Dtype loop_dtype = loop_dtype_of(compute);
  int index = 0;
  for (int i = 0; i < functional.n_args && index < kernel.inputs; ++i) {
    const Argument& a = functional.schema.args[size_t(i)];
    if ((a.type != ArgType::tensor && !is_number_arg(a)) || is_omitted(a, call.args[i])) continue;
    const bool operand = a.type != ArgType::scalar || promotes_argument(body, a, index);
    if (!operand) Scalar::of_value(call.args[i]).check_fits(loop_dtype);
    ++index;
  }
}

// Whether integers and bool compute in the default float dtype.
bool computes_integers_in_float(const PointwiseBody& body, const PointwiseKernel& kernel) {
  return body.options.promotion == Promotion::to_float && !(uint64_t(kernel.dtypes) & uint64_t(dtypes::integral));
}

Dtype compute_dtype_of(const PointwiseBody& body, const PointwiseKernel& kernel, const Inputs& in, const Operator& op) {
  if (body.options.promotion == Promotion::none) {
    const Dtype d = in.tensors[0].dtype();
    int index = 0;
    for (int i = 0; i < op.functional->n_args && index < in.count; ++i) {
      const Argument& a = op.functional->schema.args[size_t(i)];
      if (a.type != ArgType::tensor && !is_number_arg(a)) continue;
      const Tensor& t = in.tensors[index++];
      if (a.type != ArgType::tensor || t.dtype() == d) continue;
      if (body.options.mismatch) fail(body.options.mismatch, d, t.dtype());
      fail(messages::expected_dtype_for_argument, ScalarName(d), a.name, ScalarName(t.dtype()));
    }
    return d;
  }
  Dtype d = in.state.result();
  if (d == Dtype::none) d = in.tensors[0].dtype();
  if (is_integral(d, true) && computes_integers_in_float(body, kernel)) d = default_dtype();
  return d;
}

// Whether conversion to a half type may change an operand's values.
bool conversion_may_round(Dtype half, Dtype d) { return d != half && d != Dtype::boolean && d != Dtype::uint8 && d != Dtype::int8; }
// Rounds operands beside half types to the half type, as torch's conversion does before its loop, although we compute with them as floats.
void round_operands(const PointwiseBody& body, Dtype compute, Inputs& in) {
  if (!is_half(compute) || !in.device.is_cpu()) return;
  for (int i = in.first_operand; i < in.first_operand + in.operands; ++i) {
    Tensor& t = in.tensors[i];
    if (!conversion_may_round(compute, t.dtype()) || (i == 1 && body.options.keeps_second_number && t.numel() == 1)) continue;
    t = op<"to.dtype">(t, compute);
  }
}

bool has_loop_for(const PointwiseKernel& kernel, Dtype compute) {
  const int slot = loop_slot_of(loop_dtype_of(compute));
  return slot >= 0 && kernel.loops[slot][0] && contains(kernel.dtypes, compute);
}
// The result's dtype from that of the loop's result, `given`: the dtype of a widened loop stands for `compute`, its real dtype for the real
// one of `compute`.
Dtype narrow_result(Dtype compute, Dtype given) {
  if (given == loop_dtype_of(compute)) return compute;
  return compute == Dtype::complex32 && given == Dtype::float32 ? Dtype::float16 : given;
}
// The dtype of the result, or `compute` where the kernel has no loop for it: torch refuses an `out` of a wrong dtype before it refuses
// a dtype that the kernel does not support.
Dtype stored_dtype(const PointwiseKernel& kernel, Dtype compute) {
  const int slot = loop_slot_of(loop_dtype_of(compute));
  bool is_bool = true;
  for (int s = 0; s < PointwiseKernel::slots; ++s) is_bool &= !kernel.loops[s][0] || kernel.results[s] == Dtype::boolean;
  if (is_bool || slot < 0 || !kernel.loops[slot][0]) return is_bool ? Dtype::boolean : compute;
  return narrow_result(compute, kernel.results[slot]);
}

Dtype result_dtype_of(const PointwiseKernel& kernel, Dtype compute) {
  if (!has_loop_for(kernel, compute)) not_implemented_for(kernel.name, compute);
  return narrow_result(compute, kernel.results[loop_slot_of(loop_dtype_of(compute))]);
}

// Whether t is a real number that takes the dtype of a float tensor in the same call.
bool is_number_for(const TensorImpl& t, Dtype dtype) {
  return t.wrapped_number && (dtype == Dtype::float32 || dtype == Dtype::float64) && (t.dtype == Dtype::float64 || t.dtype == Dtype::int64);
}
// Whether a tensor has elements and its strides are exactly the row-major ones, also for dimensions of size 1.
bool has_rows_in_order(const TensorImpl& t) {
  int64_t step = 1;
  for (int64_t d = t.sizes.size() - 1; d >= 0; step *= t.sizes[d--])
    if (t.strides[d] != step) return false;
  return step != 0;
}
// Writes the number `n` times in the float dtype `dtype`.
void fill_with_number(const TensorImpl& number, Dtype dtype, void* to, int64_t n) {
  const char* from = static_cast<const char*>(number.storage->data) + number.storage_offset * element_size(number.dtype);
  dispatch_floating(dtype, "number", [&]<class T>(Type<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      T value;
      if (number.dtype == Dtype::int64)
        value = T(*reinterpret_cast<const int64_t*>(from));
      else
        value = T(*reinterpret_cast<const double*>(from));
      std::fill_n(static_cast<T*>(to), n, value);
    }
  });
}

// Gathers inputs that need no promotion, broadcasting or choice of strides; returns false for others.
bool gather_fast_inputs(const Call& call, const PointwiseBody& body, const PointwiseKernel& kernel, const TensorImpl** in,
                        bool& has_number) {
  for (int i = 0; i < kernel.inputs; ++i) {
    if (call.args[i].tag != MT_TAG_TENSOR) return false;
    in[i] = reinterpret_cast<const TensorImpl*>(call.args[i].as.tensor);
    if (i == 0 && body.layout == ResultLayout::of_first && !has_rows_in_order(*in[0])) return false;
    if (i && is_number_for(*in[i], in[0]->dtype) && body.options.promotion != Promotion::none && in[0]->numel <= kernel.grain) {
      if (!has_number && !has_rows_in_order(*in[0])) return false;  // a number then affects the result's strides
      has_number = true;
      continue;
    }
    if (in[i]->wrapped_number || in[i]->dtype != in[0]->dtype || !in[i]->device.is_cpu() || is_shrunk(*in[i]->storage)) return false;
    if ((i && !(in[i]->sizes == in[0]->sizes)) || !mt::is_contiguous(in[i]->sizes, in[i]->strides)) return false;
  }
  return true;
}

// Fast path for common calls: dense CPU tensors of one dtype and shape, or a small float tensor and numbers, which need no promotion,
// broadcasting or choice of strides. Returns false for other calls.
bool try_fast_path(const Call& call, const PointwiseBody& body, const PointwiseKernel& kernel) {
  if (call.op.n_args < kernel.inputs || kernel.inputs == 0 || call.keys & key_bit(Key::meta)) return false;
  const TensorImpl* in[max_pointwise_inputs];
  bool has_number = false;
  if (!gather_fast_inputs(call, body, kernel, in, has_number)) return false;
  const Dtype dtype = in[0]->dtype;
  const int slot = loop_slot_of(dtype);
  if (slot < 0 || !contains(kernel.dtypes, dtype)) return false;
  if (is_integral(dtype, true) && computes_integers_in_float(body, kernel)) return false;
  PointwiseLoop loop = loop_for(kernel, dtype);
  if (!loop) return false;
  const int64_t numel = in[0]->numel;
  Tensor result = empty_of_known_size(in[0]->sizes, numel, kernel.results[slot]);
  const int64_t in_size = element_size(dtype), out_size = element_size(kernel.results[slot]);
  alignas(64) char numbers[max_pointwise_inputs][repeated * sizeof(double)];
  auto piece = [&](int64_t begin, int64_t end) {
    const void* data[max_pointwise_inputs];
    for (int i = 0; i < kernel.inputs; ++i) {
      const bool is_number = has_number && in[i]->wrapped_number;
      data[i] = is_number ? numbers[i] : static_cast<const char*>(in[i]->storage->data) + (in[i]->storage_offset + begin) * in_size;
    }
    loop(static_cast<char*>(result->storage->data) + begin * out_size, data, end - begin);
  };
  bool has_only_numbers = has_number;
  for (int i = 1; i < kernel.inputs; ++i) has_only_numbers &= in[i]->wrapped_number;
  if (const PointwiseRowLoop row_loop = has_only_numbers ? row_loop_for(kernel, 0, dtype) : nullptr) {
    char* data[max_pointwise_inputs + 1] = {static_cast<char*>(result->storage->data),
                                            static_cast<char*>(in[0]->storage->data) + in[0]->storage_offset * in_size};
    for (int i = 1; i < kernel.inputs; ++i) {
      fill_with_number(*in[i], dtype, numbers[i], 1);
      data[i + 1] = numbers[i];
    }
    const int64_t steps[max_pointwise_inputs + 1] = {};
    row_loop(data, steps, numel, 1);
  } else if (has_number) {
    for (int i = 1; i < kernel.inputs; ++i)
      if (in[i]->wrapped_number) fill_with_number(*in[i], dtype, numbers[i], std::min(repeated, numel));
    for (int64_t begin = 0; begin < numel; begin += repeated) piece(begin, std::min(numel, begin + repeated));
  } else if (numel <= kernel.grain) {
    if (numel) piece(0, numel);
  } else {
    cpu::parallel_for(0, numel, kernel.grain, piece);
  }
  put(call.rets[0], std::move(result));
  return true;
}

// Runs the loop and stores its result. For an out= of another dtype, a half result is first rounded to the half type.
void store_result(Form form, const PointwiseKernel& kernel, Dtype compute, const Tensor& result, const Dims& sizes, Inputs& in) {
  const Dtype rounded = stored_dtype(kernel, compute);
  if (form != Form::out || !contains(dtypes::half, rounded) || result.dtype() == rounded)
    return run_pointwise(kernel, compute, result, in.tensors, in.count);
  const Tensor narrow = empty(sizes, rounded, in.device);
  run_pointwise(kernel, compute, narrow, in.tensors, in.count);
  copy_into(result, narrow);
}

void run_pointwise_form(const Call& call, const void* data, Form form) {
  const auto& body = *static_cast<const PointwiseBody*>(data);
  const PointwiseKernel& kernel = body.choose ? *body.choose(call) : *body.kernel;
  if (form == Form::functional && try_fast_path(call, body, kernel)) return;
  Inputs in;
  gather_inputs(call, body, kernel, in);
  Tensor result;
  if (form != Form::functional) {  // before promotion and shapes
    result = Unbox<Tensor>::from(call.args[form == Form::inplace ? 0 : call.op.n_args - 1]);
    check_no_internal_overlap(result);
    for (int i = 0; i < in.count; ++i) check_no_partial_overlap(result, in.tensors[i]);
  }
  const Dtype compute = compute_dtype_of(body, kernel, in, call.op);
  Dims sizes, strides;
  if (body.layout == ResultLayout::of_swapped && in.operands == 2) {
    const Tensor swapped[] = {in.tensors[1], in.tensors[0]};
    pointwise_geometry(swapped, 2, sizes, strides);
  } else {
    pointwise_geometry(in.tensors + in.first_operand, in.operands, sizes, strides);
  }
  if (body.layout == ResultLayout::in_rows) strides.clear();

  if (form == Form::functional) {
    const Dtype result_dtype = result_dtype_of(kernel, compute);
    const Tensor& first = in.tensors[in.first_operand];
    const bool as_first = body.layout == ResultLayout::of_first && first.sizes() == IntList(sizes);
    if (as_first && first.is_non_overlapping_and_dense()) strides = first.strides();
    result = strides.empty() ? empty(sizes, result_dtype, in.device) : empty_strided(sizes, strides, result_dtype, in.device);
  } else {
    if (form == Form::inplace)
      check(result.sizes() == IntList(sizes), messages::output_does_not_match_broadcast_shape, result.sizes(), sizes);
    const Dtype stored = stored_dtype(kernel, compute);
    if (body.out_policy)
      check_out_dtype(*body.out_policy, stored, result.dtype());
    else
      check_result_cast(stored, result.dtype());
    check_copy_device(in.device, result.device());
    result_dtype_of(kernel, compute);  // raises if there is no kernel
    if (stored == Dtype::boolean) warn_of_discarded_parts(result.dtype(), compute);  // bool results are converted through the compute dtype
    check(result.device() == in.device || in.device.is_cpu(), messages::found_two_devices, in.device, result.device());
    if (form == Form::out && resize_output(result, sizes) && !strides.empty())
      set_geometry(*result, sizes, strides, result.storage_offset());
  }
  if (!(call.keys & key_bit(Key::meta))) {
    check_numbers_fit(call, body, kernel, compute);
    round_operands(body, compute, in);
    store_result(form, kernel, compute, result, sizes, in);
  }
  put(call.rets[0], std::move(result));
}
template <Form F>
void run_form(const Call& call, const void* data) {
  run_pointwise_form(call, data, F);
}

struct PointwiseRule : Rule {
  PointwiseRule(PointwiseOptions o, ResultLayout l) : options(o), layout(l) {}
  void install(Operator& op) const override {
    const CpuKernel& cpu = body_of(op).cpu ? body_of(op).cpu : op.def->cpu;
    check(bool(cpu), "a pointwise operator needs a kernel");
    auto* body = new PointwiseBody{options, cpu.pointwise, nullptr, layout, op.form == Form::out ? out_policy_of(op) : nullptr};
    if (!cpu.pointwise) body->choose = reinterpret_cast<const PointwiseKernel* (*)(const Call&)>(const_cast<void*>(cpu.data));
    KernelFn fn = op.form == Form::functional ? run_form<Form::functional>
                  : op.form == Form::inplace  ? run_form<Form::inplace>
                                              : run_form<Form::out>;
    set_slot(op, Key::cpu, fn, body);
    set_slot(op, Key::meta, fn, body);
  }
  bool is_elementwise() const override { return true; }
  PointwiseOptions options;
  ResultLayout layout;
};

}  // namespace

const Rule* pointwise_rule(PointwiseOptions options) { return new PointwiseRule(options, ResultLayout::of_operands); }
const Rule* pointwise_with_layout(ResultLayout layout, PointwiseOptions options) { return new PointwiseRule(options, layout); }

bool plan_pointwise(const Operator& op, const Value* args, PointwisePlan& plan) {
  const Slot slot = handler_at(op, Key::cpu);
  if (slot.fn != run_form<Form::functional>) return false;
  const auto& body = *static_cast<const PointwiseBody*>(slot.data);
  const Call call{op, key_bit(Key::cpu), args, nullptr};
  plan.kernel = body.choose ? body.choose(call) : body.kernel;
  Inputs in;
  gather_inputs(call, body, *plan.kernel, in);
  const Dtype compute = compute_dtype_of(body, *plan.kernel, in, op);
  plan.result_dtype = result_dtype_of(*plan.kernel, compute);
  if (is_half(compute)) {
    for (int i = 0; i < in.count; ++i)
      if (conversion_may_round(compute, in.tensors[i].dtype()) && !in.tensors[i].is_wrapped_number()) return false;
    round_operands(body, compute, in);
  }
  plan.loop_dtype = loop_dtype_of(compute);
  plan.loop = loop_for(*plan.kernel, plan.loop_dtype);
  plan.stored_dtype = plan.kernel->results[loop_slot_of(plan.loop_dtype)];
  plan.count = in.count;
  for (int i = 0; i < in.count; ++i) plan.inputs[i] = std::move(in.tensors[i]);
  return plan.loop != nullptr;
}

CpuKernel::CpuKernel(const PointwiseKernel& kernel) : pointwise(new PointwiseKernel(kernel)) {}

CpuKernel choose(const PointwiseKernel* (*function)(const Call& call)) {
  CpuKernel k;
  k.fn = [](const Call&, const void*) { fail("a pointwise kernel was called directly"); };
  k.data = reinterpret_cast<const void*>(function);
  return k;
}

}  // namespace mt
