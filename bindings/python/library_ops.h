// torch.ops objects for operators.
#pragma once
#include "common.h"

namespace mt::py {

// torch.ops.<namespace>.<name>.<overload>, which the package makes on first use.
Ref operator_object(const mt_op* op);

}  // namespace mt::py
