// The sparse family: kernels for sparse tensors in every form, and code that such kernels share.
//
// A definition's `.sparse` and `.compressed` are functional kernels. In-place and out= forms store the result: in a sparse tensor its
// components, converted to the tensor's dtype, in a dense tensor its elements. A kernel that takes a `const Call&` may read `call.op.form`,
// write the target itself and return it.
#pragma once

#include "core/sparse.h"
#include "rules/rule.h"

namespace mt {

// Installs the slots for sparse tensors in the operator's form: its kernels, or a composite body.
void install_sparse(Operator& op);

// A kernel for operators that map 0 to 0: applies the operator to the values of its first argument. on_values coalesces first;
// on_each_value does not, which is correct for linear operators.
extern const BoxedKernel on_values, on_each_value;

// Maps the components of a sparse tensor through `f`.
template <class F>
SparseComponents map_components(const Tensor& self, F f) {
  SparseComponents parts = components_of(self);
  for (Tensor* part : {&parts.indices, &parts.plain, &parts.values})
    if (part->defined()) *part = f(*part);
  return parts;
}
inline Tensor as_dtype(const Tensor& t, Dtype dtype) { return t.dtype() == dtype ? t : op<"to.dtype">(t, dtype); }

// `self` with unique, sorted indices; `self` itself if it is coalesced.
Tensor coalesce(const Tensor& self);
// The indices of `self` with other values (elements x dense dimensions).
Tensor with_values(const Tensor& self, Tensor values);
// A sparse_coo tensor; the number of sparse dimensions may be 0. The components are neither copied nor checked.
Tensor coo_tensor(Tensor indices, Tensor values, IntList sizes, bool is_coalesced);
// Linearises indices (int64, sparse dimensions x elements): one row-major index per element into a dense tensor of these leading sizes.
Tensor linearize_indices(const Tensor& indices, IntList sizes);
// Whether the numbers are in ascending order.
bool ascends(const int64_t* numbers, int64_t n);
// For ascending numbers in [0, size): how many are less than each of 0 ... size.
void write_starts(const int64_t* numbers, int64_t n, int64_t size, int64_t* out);
// As write_starts, for numbers in any order; returns whether they ascend.
bool count_starts(const int64_t* numbers, int64_t n, int64_t size, int64_t* out);
// Sizes with the leading dimensions merged: those of the rows that `linearize_indices` indexes.
Dims rows_of(IntList sizes, int64_t leading);
// A new sparse tensor of a layout without elements.
Tensor empty_sparse(Layout layout, IntList sizes, Dtype dtype, Device device);

// As empty_sparse, with the sizes and the split of dimensions of `self`.
Tensor make_empty_like(const Tensor& self, Dtype dtype, Device device);

// Raises torch's text unless both sides of an out= form are sparse.
void check_both_sparse(bool are);
// torch's text for an operator without a sparse_coo kernel.
[[noreturn]] void refuse_sparse(const char* name);
// torch's text for a query of a compressed tensor's contiguity.
[[noreturn]] void fail_for_contiguity(const Tensor& self);
// Refuses in-place and out= forms that torch does not have for sparse_coo.
void check_functional(const Call& call);

// Resizes `self`, as sparse_resize_ does; a tensor with elements keeps its split of dimensions, and does not shrink.
void resize_sparse(const Tensor& self, IntList sizes, int64_t sparse_dims, int64_t dense_dims);
// Copies the sizes and components of `source`, converted to the dtype of `self`.
void copy_sparse(const Tensor& self, const Tensor& source);

// Stores an operator's result in the tensor of an in-place or out= form.
void store_sparse(const Tensor& target, const Tensor& made);

}  // namespace mt
