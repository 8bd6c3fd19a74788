// What the parts of the vmap handler know of each other.
#pragma once

#include "vmap/rule.h"

namespace mt {

// The handler of Key::transforms for every operator: vmap, then forward mode.
void install_transforms();

// Whether a call draws numbers.
bool is_random(const Call& call);
void batch_random(const BatchCall& call, Randomness randomness);

// Whether an operator's file says that it goes slice by slice: a body that reads values.
bool is_looped(const Operator& op);

// The rule that an operator's schema and kernel give it; the loop where there is none.
BatchRule family_rule(const Operator& op);
// Whether a rule handles in-place forms by itself.
bool writes_itself(BatchRule rule);

}  // namespace mt
