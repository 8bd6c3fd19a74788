// What the registry and programs' registrations install from the rooms above this one; impl/assembly.cpp defines it.
#pragma once

#include "dispatch/operator.h"

namespace mt {

// Installs every handler of an operator of the library, as its definition says.
void install_handlers(Operator& op);
// Installs the handlers of an operator registered from outside. Without `derivative` only versions and views are tracked.
void install_foreign_handlers(Operator& op, mt_derivative_fn derivative, void* user, void (*destroy)(void* user));
// Installs the library's own fallbacks of whole keys.
void install_fallbacks();

}  // namespace mt
