// The *_copy family: what a view operator shows, in memory of its own. Kernels and derivative come from the view's definition.
#pragma once

#include "rules/rule.h"

namespace mt {

// Completes the definition of `NAME_copy` from that of the view `NAME`. `shown_by` names the operator that gives the elements, where it is
// not the view itself: reshape shows what view refuses.
OpDef copied_view(OpDef def, const char* shown_by = nullptr);

}  // namespace mt
