// The sparse family: kernels for tensors without memory of their own, in every form, and what such kernels share.
//
// A definition's `.sparse` and `.compressed` are functional kernels. In-place and out= forms store what they give: into a sparse tensor
// its parts, converted to the tensor's dtype, into a dense one its elements. A kernel that asks for `const Call&` may look at
// `call.op.form`, write by itself and give back the tensor that it wrote.
#pragma once

#include "core/sparse.h"
#include "rules/rule.h"

namespace mt {

// Sets the slots of sparse tensors for the operator's form: its kernels, or a composite body.
void install_sparse(Operator& op);

// A kernel for operators that keep zeros: the operator itself, given the values of its first argument in place of the tensor.
// Coordinates are summed up before; on_each_value leaves them as they are, which is right for linear operators.
extern const BoxedKernel on_values, on_each_value;

// The parts of a sparse tensor, each as `f` gives it.
template <class F>
SparseComponents map_components(const Tensor& self, F f) {
  SparseComponents parts = components_of(self);
  for (Tensor* part : {&parts.indices, &parts.plain, &parts.values})
    if (part->defined()) *part = f(*part);
  return parts;
}
inline Tensor as_dtype(const Tensor& t, Dtype dtype) { return t.dtype() == dtype ? t : op<"to.dtype">(t, dtype); }

// self with each place once and in order; self itself where it is so already.
Tensor coalesce(const Tensor& self);
// The same places as `self`, other values (elements x dense dimensions).
Tensor with_values(const Tensor& self, Tensor values);
// Of coordinates; the number of sparse dimensions may be 0. Neither is copied or checked.
Tensor coo_tensor(Tensor indices, Tensor values, IntList sizes, bool is_coalesced);
// Coordinates (int64, sparse dimensions x elements) as places in a dense tensor of these leading sizes, one number each, row-major.
Tensor linearize_indices(const Tensor& indices, IntList sizes);
// Whether no number is less than the one before.
bool ascends(const int64_t* numbers, int64_t n);
// Of ascending numbers within 0 ... size - 1: how many are less than each of 0 ... size.
void write_starts(const int64_t* numbers, int64_t n, int64_t size, int64_t* out);
// The same of numbers in any order; gives whether they ascend.
bool count_starts(const int64_t* numbers, int64_t n, int64_t size, int64_t* out);
// Sizes with the leading ones as one: those of the rows that `linearize_indices` counts.
Dims rows_of(IntList sizes, int64_t leading);
// A new sparse tensor of a layout without elements.
Tensor empty_sparse(Layout layout, IntList sizes, Dtype dtype, Device device);

// The same without elements: sizes and split of dimensions of `self`, no element stored.
Tensor make_empty_like(const Tensor& self, Dtype dtype, Device device);

// Raises torch's words unless both sides of an out= form are sparse.
void check_both_sparse(bool are);
// torch's words for an operator that has no kernel for tensors of coordinates.
[[noreturn]] void refuse_sparse(const char* name);
// Its words where somebody asks how the elements of a compressed tensor lie.
[[noreturn]] void fail_for_contiguity(const Tensor& self);
// Refuses in-place and out= forms that torch does not have for tensors of coordinates.
void check_functional(const Call& call);

// Gives `self` other sizes, as sparse_resize_ does; a tensor with elements keeps its split of dimensions, and does not shrink.
void resize_sparse(const Tensor& self, IntList sizes, int64_t sparse_dims, int64_t dense_dims);
// Takes over the sizes and copies of the parts of `source`, converted to the dtype of `self`.
void copy_sparse(const Tensor& self, const Tensor& source);

// What an operator made, into the tensor of an in-place or out= form.
void store_sparse(const Tensor& target, const Tensor& made);

}  // namespace mt
