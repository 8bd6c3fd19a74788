// The *_copy family: the elements of a view, copied to new memory. Kernels and derivative come from the view's definition.
#pragma once

#include "rules/form/rule.h"

namespace mt {

// Completes the definition of `NAME_copy` from that of the view `NAME`. `shown_by` names another operator that computes the elements:
// reshape supports what view refuses.
OpDef make_view_copy_definition(const OpDef& def, const char* shown_by = nullptr);

// Copies pieces into a list of tensors, one each, as split_copy.Tensor_out and similar operators do; `who` is the operator's name in the
// error about their number. With `resize` each tensor is resized and must have the dtype; with `convert` it keeps its shape, and copy_
// converts.
enum class Pieces { resize, convert };
void copy_pieces(const char* who, const std::vector<Tensor>& pieces, TensorList out, Pieces way);

}  // namespace mt
