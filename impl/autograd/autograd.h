// What the rest of the implementation asks of autograd: handlers for operators, and derivatives given from outside.
#pragma once

#include "dispatch/operator.h"

namespace mt {

// Checks the definition's derivative against the schema and sets the handlers for Key::autograd and
// Key::view_and_version. Composite operators are left alone: what they call is recorded.
void install_autograd(Operator& op);

// The same for an operator that was defined from outside. Without `derivative` only versions and views are kept.
void install_foreign_autograd(Operator& op, mt_derivative_fn derivative, void* user, void (*destroy)(void* user));

}  // namespace mt
