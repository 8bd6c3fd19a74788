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
// Coordinates are summed up before.
extern const BoxedKernel on_values;

// self with each place once and in order; self itself where it is so already.
Tensor coalesced(const Tensor& self);
// The same places as `self`, other values (elements x dense dimensions).
Tensor with_values(const Tensor& self, Tensor values);
// Of coordinates; the number of sparse dimensions may be 0. Neither is copied or checked.
Tensor coo_tensor(Tensor indices, Tensor values, IntList sizes, bool is_coalesced);
// Coordinates (int64, sparse dimensions x elements) as places in a dense tensor of these leading sizes, one number each, row-major.
Tensor flat_places(const Tensor& indices, IntList sizes);
// A new sparse tensor of a layout without elements.
Tensor empty_sparse(Layout layout, IntList sizes, Dtype dtype, Device device);

// The same without elements: sizes and split of dimensions of `self`, no element stored.
Tensor emptied(const Tensor& self, Dtype dtype, Device device);

// What an operator made, into the tensor of an in-place or out= form.
void store_sparse(const Tensor& target, const Tensor& made);

}  // namespace mt
