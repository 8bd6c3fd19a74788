// What other folders use of autograd: handlers for operators, and derivatives that programs register.
#pragma once

#include "dispatch/operator.h"

namespace mt {

// Checks the definition's derivative against the schema and installs the handlers of Key::autograd and Key::view_and_version. Composites
// get no handlers: the operators that they call are recorded.
void install_autograd(Operator& op);

// Installs the handlers of an operator registered from outside. Without `derivative` only versions and views are tracked.
void install_foreign_autograd(Operator& op, mt_derivative_fn derivative, void* user, void (*destroy)(void* user));

}  // namespace mt
