// The sparse family: kernels for sparse tensors in every form, and code that such kernels share.
//
// A definition's `.sparse` and `.compressed` are functional kernels. In-place and out= forms store the result: in a sparse tensor its
// components, converted to the tensor's dtype, in a dense tensor its elements. A kernel that takes a `const Call&` may read `call.op.form`,
// write the target itself and return it.
#pragma once

#include "core/sparse.h"
#include "rules/form/rule.h"

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
// Returns one row-major linear index per element into a dense tensor of these leading sizes, from indices of (sparse dimensions, elements)
// in int64.
Tensor linearize_indices(const Tensor& indices, IntList sizes);
// Whether the numbers are in ascending order.
bool is_ascending(const int64_t* numbers, int64_t n);
// out[k] = how many of the ascending `numbers`, all in [0, size), are less than k, for each k of 0 ... size.
void write_starts(const int64_t* numbers, int64_t n, int64_t size, int64_t* out);
// As write_starts, for numbers in any order; returns whether they ascend.
bool count_starts(const int64_t* numbers, int64_t n, int64_t size, int64_t* out);
// Merges the leading dimensions of `sizes`: the sizes of a tensor of rows that `linearize_indices` indexes.
Dims merge_leading_sizes(IntList sizes, int64_t leading);
// A new sparse tensor of a layout, without elements.
Tensor empty_sparse(Layout layout, IntList sizes, Dtype dtype, Device device);

// As empty_sparse, with the sizes and the numbers of sparse and dense dimensions of `self`.
Tensor make_empty_like(const Tensor& self, Dtype dtype, Device device);

// Raises torch's error message unless both sides of an out= form are sparse.
void check_both_sparse(bool are_sparse);
// Raises torch's error for an operator without a sparse_coo kernel.
[[noreturn]] void refuse_sparse(const char* name);
// Raises torch's error for a query whether a compressed tensor is contiguous.
[[noreturn]] void fail_for_contiguity(const Tensor& self);
// Refuses in-place and out= forms that torch does not have for sparse_coo.
void refuse_in_place_and_out(const Call& call);

// Resizes `self`, as sparse_resize_ does; a tensor with elements keeps its numbers of sparse and dense dimensions, and does not shrink.
void resize_sparse(const Tensor& self, IntList sizes, int64_t sparse_dims, int64_t dense_dims);
// Copies the sizes and components of `source`, converted to the dtype of `self`.
void copy_sparse(const Tensor& self, const Tensor& source);

// Stores an operator's result in the tensor of an in-place or out= form.
void store_sparse(const Tensor& target, const Tensor& made);

}  // namespace mt
