// Sums and elementwise products of tensors of the compressed layouts.
#include "rules/sparse/sparse_compressed_math.h"

#include "core/messages.h"
#include "rules/pointwise/alpha.h"

namespace mt {
namespace {

bool has_no_element(const Tensor& t) { return components_of(t).plain.numel() == 0; }

Tensor with_indices_of(const Tensor& t, Tensor values) {
  const SparseComponents& parts = components_of(t);
  return compressed_tensor(parts.layout, op<"clone">(parts.indices), op<"clone">(parts.plain), std::move(values), t.sizes());
}

Tensor sum_of_compressed(const Tensor& self, const Tensor& other, const Scalar& alpha, Dtype dtype) {
  check(self.sizes() == other.sizes(),
        "torch.add: Expected input tensors to have the same shape, but got tensor `self` with shape {} and tensor `other` with shape {}",
        self.sizes(), other.sizes());
  const Layout a = self.layout(), b = other.layout();
  const Tensor &first = components_of(self).values, &second = components_of(other).values;
  // The result has the index dtype of self, whichever operand its elements come from.
  const auto convert_indices = [&](const Tensor& t) {
    const Dtype index = components_of(self).plain.dtype();
    const SparseComponents& parts = components_of(t);
    return compressed_tensor(parts.layout, op<"to.dtype">(parts.indices, index), op<"to.dtype">(parts.plain, index), parts.values,
                             t.sizes());
  };
  if (self.get() == other.get()) return with_indices_of(self, op<"add.Tensor">(first, first, alpha));
  if (has_no_element(self) || has_no_element(other))
    check(compresses_rows(a), "col_indices expected sparse row compressed tensor layout but got {}", name_of(a));
  if (has_no_element(self)) {
    check(a == b, messages::copy_between_compressed_layouts, name_of(a), name_of(b));
    return convert_indices(with_indices_of(other, op<"mul">(as_dtype(second, dtype), alpha)));
  }
  if (has_no_element(other)) return with_indices_of(self, as_dtype(first, dtype));
  for (const Tensor& t : {self, other})
    check(compresses_rows(t.layout()), "crow_indices expected sparse row compressed tensor layout but got {}", name_of(t.layout()));
  check((is_floating(dtype) && !is_half(dtype)) || is_complex(dtype), ErrorKind::not_implemented,
        "\"add_out_sparse_csr_impl_mkl\" not implemented for '{}'", dtype);
  for (const Tensor& t : {first, second}) check(t.dtype() == dtype, messages::expected_scalar_type, dtype, t.dtype());
  check(!has_blocks(a) && !has_blocks(b) && components_of(self).plain.dim() == 1 && first.dim() == 1, messages::cannot_add_layouts,
        name_of(a), name_of(b));
  const Tensor sum = op<"add.Tensor">(compressed_to_coo(self), compressed_to_coo(other), alpha);
  return convert_indices(to_compressed(sum, Layout::sparse_csr, {}, {}));
}

}  // namespace

Tensor compressed_sum(const Call& call, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Tensor operands[] = {self, other};
  const Dtype dtype = result_type(operands, 2);
  if (call.op.form == Form::functional) check_alpha(dtype, alpha);
  BelowAutograd guard;
  const Tensor target = target_or_undefined(call);
  if (is_sparse(self) && is_sparse(other)) {
    check(is_compressed(self.layout()) && is_compressed(other.layout()), messages::cannot_add_layouts, name_of(self.layout()),
          name_of(other.layout()));
    check(!target.defined() || is_compressed(target.layout()), "add: expected a sparse compressed result, but got {}",
          target.defined() ? name_of(target.layout()) : "");
    return sum_of_compressed(self, other, alpha, dtype);
  }
  const Tensor &plain = is_sparse(self) ? other : self, &sparse = is_sparse(self) ? self : other;
  check(!has_blocks(sparse.layout()), "add: the sum of a strided tensor and one of the layout {} is not supported",
        name_of(sparse.layout()));
  check(!target.defined() || !is_sparse(target), messages::sparse_has_no_is_contiguous,
        target.defined() ? upper_name(target.layout()) : "");
  check(
      plain.sizes() == sparse.sizes(),
      "add: expected 'self' and 'other' to have same size, but self has size {} while other has size {} (FYI: op2-sparse addition does not "
      "currently support broadcasting)",
      plain.sizes(), sparse.sizes());
  if (call.op.form == Form::inplace && plain.dtype() == dtype && plain.is_contiguous() && plain.numel() > 0) {
    add_compressed(plain, sparse, alpha);
    return plain;
  }
  const Tensor sum = op<"clone">(as_dtype(plain, dtype), MemoryFormat::contiguous);
  if (sum.numel() > 0) add_compressed(sum, sparse, alpha);
  if (call.op.form != Form::inplace) return sum;
  copy_into(self, sum);
  return self;
}

Tensor compressed_product(const Call& call, const Tensor& self, const Tensor& other) {
  BelowAutograd guard;
  const Tensor operands[] = {self, other};
  const Dtype dtype = result_type(operands, 2);
  const Tensor target = target_or_undefined(call);
  if (target.defined()) check_result_cast(dtype, target.dtype());
  const bool by_number = !is_sparse(other) && other.dim() == 0, of_number = !is_sparse(self) && self.dim() == 0;
  if (by_number || of_number) {
    const Tensor& t = by_number ? self : other;
    if (call.op.form == Form::inplace) {
      op<"mul_.Tensor">(components_of(t).values, other);
      return t;
    }
    return with_indices_of(t, op<"mul.Tensor">(components_of(t).values, by_number ? other : self));
  }
  if (!target.defined())
    check(!is_sparse(self) || !has_blocks(self.layout()), messages::empty_sparse_compressed_layout, name_of(self.layout()));
  if (self.layout() == Layout::sparse_csr && !is_sparse(other)) return compressed_product(call, self, masked_by_compressed(other, self));
  if (!is_sparse(self) && other.layout() == Layout::sparse_csr) {
    const Tensor masked = masked_by_compressed(self, other);
    check(!target.defined() || target.layout() == Layout::sparse_csr, messages::expected_csr_result);
    return to_compressed(op<"mul.Tensor">(compressed_to_coo(masked), compressed_to_coo(other)), Layout::sparse_csr, {}, {});
  }
  check((target.defined() ? target : self).layout() == Layout::sparse_csr, messages::expected_csr_result);
  return to_compressed(op<"mul.Tensor">(op<"to_sparse">(self), op<"to_sparse">(other)), Layout::sparse_csr, {}, {});
}

Tensor masked_by_compressed(const Tensor& self, const Tensor& mask) {
  check(is_compressed(mask.layout()), "sparse_mask_sparse_compressed expects mask to have sparse compressed layout, got {}",
        name_of(mask.layout()));
  check(self.sizes() == mask.sizes(), messages::sparse_mask_sizes_differ, self.sizes(), mask.sizes());
  if (self.get() == mask.get()) return self;
  BelowAutograd guard;
  if (has_no_element(mask)) return with_indices_of(mask, as_dtype(components_of(mask).values, self.dtype()));
  if (is_sparse(self)) {
    if (self.layout() == mask.layout()) {
      check(self.layout() == Layout::sparse_csr, messages::expected_csr_result);
      const Tensor ones = with_indices_of(mask, op<"ones_like">(components_of(mask).values, self.dtype()));
      return to_compressed(op<"mul.Tensor">(compressed_to_coo(self), compressed_to_coo(ones)), Layout::sparse_csr, {}, {});
    }
    check(self.layout() == Layout::sparse_coo, "sparse_mask_sparse_compressed expects mask to have sparse compressed layout, got Sparse");
    const Tensor coo = op<"sparse_mask">(self, compressed_to_coo(mask));
    return to_compressed(coo, mask.layout(), block_of(mask), {});
  }
  const Compressed c = open_compressed(mask);
  const Tensor coo = compressed_to_coo(mask);
  const Dims rows = merge_leading_sizes(self.sizes(), c.batch_dims + 2);
  const Tensor picked = op<"index_select">(op<"reshape">(self, IntList(rows)), int64_t(0),
                                           linearize_indices(components_of(coo).indices, self.sizes()));
  const auto wide = [](const Tensor& indices) { return op<"to.dtype">(indices, Dtype::int64, /*non_blocking=*/false, /*copy=*/true); };
  return compressed_tensor(mask.layout(), wide(components_of(mask).indices), wide(components_of(mask).plain),
                           op<"view">(picked, components_of(mask).values.sizes()), self.sizes());
}

}  // namespace mt
