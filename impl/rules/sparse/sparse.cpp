// The forms of sparse kernels, and steps that they share.
#include "rules/sparse/sparse.h"

#include <algorithm>

#include "core/messages.h"
#include "core/no_kernel.h"
#include "definition/definition.h"
#include "rules/factory/factory.h"
#include "rules/pointwise/pointwise.h"
#include "rules/reduction/rows.h"
#include "rules/sparse/sparse_compressed_math.h"

namespace mt {
namespace {

bool has_sparse_argument(const Call& call) {
  const auto found = [](const Tensor& t) { return t.defined() && is_sparse(t); };
  for (int8_t i : call.op.functional->tensor_args) {
    const Value& v = call.args[i];
    if (v.tag == MT_TAG_TENSOR
            ? found(Unbox<Tensor>::from(v))
            : v.tag == MT_TAG_TENSORS && std::any_of(Unbox<TensorList>::from(v).begin(), Unbox<TensorList>::from(v).end(), found))
      return true;
  }
  return false;
}

// Runs the functional kernel, then stores its result in the tensor to be written, unless the kernel returned that tensor itself.
void run_sparse_inplace(const Call& call, const void* data) {
  const auto& kernel = *static_cast<const BoxedKernel*>(data);
  const Tensor& self = Unbox<Tensor>::from(call.args[0]);
  Results<8> results;
  kernel.fn(Call{call.op, call.keys, call.args, results.values}, kernel.data);
  store_sparse(self, Unbox<Tensor>::from(results.values[0]));
  put(call.rets[0], self);
}
void run_sparse_out(const Call& call, const void* data) {
  const auto& kernel = *static_cast<const BoxedKernel*>(data);
  const Operator& functional = *call.op.functional;
  check_both_sparse(functional.tensor_args.empty() || has_sparse_argument(call));  // kernels have a sparse argument besides `out`
  Results<8> results;
  kernel.fn(Call{call.op, call.keys, call.args, results.values}, kernel.data);
  for (int i = 0; i < functional.n_rets; ++i) {
    const Tensor& target = Unbox<Tensor>::from(call.args[call.op.n_args - functional.n_rets + i]);
    store_sparse(target, Unbox<Tensor>::from(results.values[i]));
    put(call.rets[i], target);
  }
}

// Calls the operator again with the values tensor of `self` in place of `self`, and makes a sparse tensor of the result. An in-place form
// writes the existing values, which other tensors may share.
void run_on_values(const Call& call, const void* leaves_as_is) {
  const Tensor& given = Unbox<Tensor>::from(call.args[0]);
  const Form form = call.op.form;
  const bool sums_up = given.layout() == Layout::sparse_coo && !components_of(given).coalesced && !leaves_as_is;
  check(form != Form::inplace || !sums_up, "{} requires coalesced input", call.op.schema.name);
  BelowAutograd guard;
  const Tensor self = sums_up ? op<"_coalesce">(given) : given;
  Small<Value, 16> args(List<Value>(call.args, call.op.n_args));
  args[0] = box(components_of(self).values);
  Tensor values;
  const bool into_out = form == Form::out && !leaves_as_is;  // otherwise storing the result converts it
  check_both_sparse(form != Form::out || is_sparse(Unbox<Tensor>::from(args.back())));
  if (into_out) {
    const Tensor& target = Unbox<Tensor>::from(args.back());
    values = empty(components_of(self).values.sizes(), target.dtype(), target.device());
    args.back() = box(values);
  }
  Results<1> results;
  mt::call(form == Form::inplace || into_out ? call.op : *call.op.functional, args.data(), results.values);
  if (form == Form::inplace) return put(call.rets[0], given);
  SparseComponents parts = components_of(self);
  if (!sums_up)
    for (Tensor* part : {&parts.indices, &parts.plain})
      if (part->defined()) *part = op<"clone">(*part);
  parts.values = into_out ? values : take_tensor(results.values[0]);
  if (const Tensor target = into_out ? Unbox<Tensor>::from(call.args[call.op.n_args - 1]) : Tensor();
      target.defined() && is_compressed(target.layout()) && target.numel() > 0) {
    copy_compressed(target, make_sparse(self.sizes(), std::move(parts)));
    return put(call.rets[0], target);
  }
  put(call.rets[0], make_sparse(self.sizes(), std::move(parts)));
}

// Raises torch's error messages for pointwise operators and views that do not support compressed tensors: they fail at the layout of the
// first compressed argument.
const Tensor& find_first_compressed(const Call& call) {
  for (int i = 0; i < call.op.n_args; ++i)
    if (call.args[i].tag == MT_TAG_TENSOR && is_sparse(Unbox<Tensor>::from(call.args[i]))) return Unbox<Tensor>::from(call.args[i]);
  fail("{}: expected a sparse tensor", call.op.schema.name);
}
void refuse_layout(const Call& call, const void*) { fail("unsupported tensor layout: {}", name_of(find_first_compressed(call).layout())); }
void refuse_strides(const Call& call, const void*) {
  const Layout layout = find_first_compressed(call).layout();
  fail("Sparse {} tensors do not have strides", layout == Layout::sparse_coo ? "COO" : upper_name(layout));
}

}  // namespace

void fail_for_contiguity(const Tensor& self) { fail(messages::sparse_has_no_is_contiguous, upper_name(self.layout())); }

void check_both_sparse(bool are_sparse) {
  check(are_sparse,
        "Expected self.is_sparse() && result.is_sparse() to be true, but got false.  (Could this error message be improved?  If so, please "
        "report an enhancement request to PyTorch.)");
}

void refuse_sparse(const char* name) { fail_without_kernel(std::string("aten::") + name, "SparseCPU", ""); }

void refuse_in_place_and_out(const Call& call) {
  const Schema& schema = call.op.schema;
  if (call.op.form != Form::functional) refuse_sparse((schema.name + (schema.overload.empty() ? "" : "." + schema.overload)).c_str());
}

constinit const BoxedKernel on_values(run_on_values, nullptr), on_each_value(run_on_values, &on_each_value);

void install_sparse(Operator& op) {
  const OpDef& def = body_of(op);
  for (Key key : {Key::sparse, Key::sparse_compressed}) {
    const BoxedKernel& kernel = sparse_of(op, key == Key::sparse ? &OpDef::sparse : &OpDef::compressed);
    if (!kernel) {
      if (const Slot& body = op.slots[int(Key::autograd)]; def.composite && body.fn) {
        set_slot(op, key, body.fn, body.data);
      } else if (key == Key::sparse_compressed && op.form != Form::out) {
        if (def.view) set_slot(op, key, refuse_strides, nullptr);
        const CpuKernel& cpu = field(op, &OpDef::cpu);
        if (field(op, &OpDef::rule) && (cpu.pointwise || cpu.fn == choose(nullptr).fn)) set_slot(op, key, refuse_layout, nullptr);
      }
    } else if (op.form == Form::functional || op.functional == &op) {
      set_slot(op, key, kernel.fn, kernel.data);
    } else {
      set_slot(op, key, op.form == Form::inplace ? run_sparse_inplace : run_sparse_out, new BoxedKernel(kernel));
    }
  }
}

Tensor coalesce(const Tensor& self) {
  check(self.layout() == Layout::sparse_coo, messages::coalesce_expects_coo, name_of(self.layout()));
  return components_of(self).coalesced ? self : op<"_coalesce">(self);
}

Tensor with_values(const Tensor& self, Tensor values) {
  SparseComponents parts = components_of(self);
  parts.values = std::move(values);
  return make_sparse(self.sizes(), std::move(parts));
}

Tensor coo_tensor(Tensor indices, Tensor values, IntList sizes, bool is_coalesced) {
  return make_sparse(sizes, {Layout::sparse_coo, std::move(indices), {}, std::move(values), is_coalesced});
}

Tensor linearize_indices(const Tensor& indices, IntList sizes) {
  check(!indices.is_meta(), ErrorKind::not_implemented, messages::meta_sparse_has_no_elements);
  const int64_t dims = indices.size(0), n = indices.size(1);
  Tensor places = empty({n}, Dtype::int64);
  auto* out = places.data<int64_t>();
  if (dims == 0) std::fill(out, out + n, 0);
  for (int64_t d = 0; d < dims; ++d) {
    const auto* at = indices.data<int64_t>() + d * indices.stride(0);
    const int64_t step = indices.stride(1), size = sizes[d];
    if (d == 0)
      for (int64_t i = 0; i < n; ++i) out[i] = at[i * step];
    else
      for (int64_t i = 0; i < n; ++i) out[i] = out[i] * size + at[i * step];
  }
  return places;
}

namespace {
struct Ascends {
  static void run(const int64_t* numbers, int64_t n, bool* ascends) {
    int64_t falls = 0;
    for (int64_t i = 1; i < n; ++i) falls |= numbers[i - 1] > numbers[i];
    *ascends = !falls;
  }
};
}  // namespace

bool is_ascending(const int64_t* numbers, int64_t n) {
  static const auto run = row_clone<Ascends>(Ascends::run);
  bool does;
  run(numbers, n, &does);
  return does;
}

void write_starts(const int64_t* numbers, int64_t n, int64_t size, int64_t* out) {
  std::fill(out, out + size + 1, 0);
  for (int64_t k = 0; k < n; ++k) out[numbers[k] + 1] = k + 1;
  for (int64_t i = 0; i < size; ++i) out[i + 1] = std::max(out[i], out[i + 1]);
}

bool count_starts(const int64_t* numbers, int64_t n, int64_t size, int64_t* out) {
  if (is_ascending(numbers, n)) {
    write_starts(numbers, n, size, out);
    return true;
  }
  std::fill(out, out + size + 1, 0);
  for (int64_t k = 0; k < n; ++k) ++out[numbers[k] + 1];
  for (int64_t i = 0; i < size; ++i) out[i + 1] += out[i];
  return false;
}

Dims merge_leading_sizes(IntList sizes, int64_t leading) {
  Dims rows{product(sizes.first(leading))};
  for (int64_t d = leading; d < sizes.size(); ++d) rows.push_back(sizes[d]);
  return rows;
}

Tensor empty_sparse(Layout layout, IntList sizes, Dtype dtype, Device device) {
  for (int64_t s : sizes) check(s >= 0, messages::negative_size_in, s, sizes);
  if (layout == Layout::sparse_coo)
    return coo_tensor(empty({sizes.size(), 0}, Dtype::int64, device), empty({0}, dtype, device), sizes, true);
  check(sizes.size() >= 2, "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got size {}", sizes);
  Dims begins(sizes.first(sizes.size() - 2)), batch(begins);
  begins.push_back(sizes[sizes.size() - (compresses_rows(layout) ? 2 : 1)] + 1);
  batch.push_back(0);
  const Tensor first = empty(begins, Dtype::int64, device);
  fill_with(first, 0);
  return make_sparse(sizes, {layout, first, empty(batch, Dtype::int64, device), empty(batch, dtype, device), false});
}

Tensor make_empty_like(const Tensor& self, Dtype dtype, Device device) {
  const SparseComponents& parts = components_of(self);
  if (parts.layout != Layout::sparse_coo) {
    SparseComponents none = parts;
    Dims plain(parts.plain.sizes()), values(parts.values.sizes());
    plain[plain.size() - 1] = values[plain.size() - 1] = 0;
    none.indices = empty(parts.indices.sizes(), parts.indices.dtype(), device);
    fill_with(none.indices, 0);
    none.plain = empty(plain, parts.plain.dtype(), device);
    none.values = empty(values, dtype, device);
    return make_sparse(self.sizes(), std::move(none));
  }
  Dims values(parts.values.sizes());
  values[0] = 0;
  return coo_tensor(empty({sparse_dim(self), 0}, Dtype::int64, device), empty(values, dtype, device), self.sizes(), true);
}

void store_sparse(const Tensor& target, const Tensor& made) {
  if (target.get() == made.get()) return;
  check_result_cast(made.dtype(), target.dtype());
  if (!is_sparse(target) || !is_sparse(made)) {
    check(!is_sparse(target), "Expected out tensor to have layout {}, but got {} instead", name_of(made.layout()),
          name_of(target.layout()));
    const Tensor dense = is_sparse(made) ? op<"to_dense">(made) : made;
    resize_output(target, dense.sizes());
    return copy_into(target, dense);
  }
  const bool is_argument = made->use_count() > 1;
  SparseComponents parts = map_components(made, [&](const Tensor& part) { return is_argument ? op<"clone">(part) : part; });
  parts.values = as_dtype(parts.values, target.dtype());
  set_sparse(target, made.sizes(), std::move(parts));
}

}  // namespace mt
