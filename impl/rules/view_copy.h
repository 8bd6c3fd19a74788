// The *_copy family: what a view operator shows, in memory of its own. Kernels and derivative come from the view's definition.
#pragma once

#include "rules/rule.h"

namespace mt {

// Completes the definition of `NAME_copy` from that of the view `NAME`. `shown_by` names the operator that gives the elements, where it is
// not the view itself: reshape shows what view refuses.
OpDef define_view_copy(const OpDef& def, const char* shown_by = nullptr);

// The pieces into a list of tensors, one each, as split_copy.Tensor_out and its kin take it; `who` is named where their numbers differ.
// Each is resized and keeps its dtype; or, where they `convert`, it keeps its shape and takes what copy_ takes.
enum class Pieces { resize, convert };
void copy_pieces(const char* who, const std::vector<Tensor>& pieces, TensorList out, Pieces way);

}  // namespace mt
