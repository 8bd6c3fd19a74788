// Declarations that the files of the vmap handler share.
#pragma once

#include "vmap/rule.h"

namespace mt {

// The handler of Key::transforms for every operator: vmap, then forward mode.
void install_transforms();

// Whether a call draws random numbers.
bool is_random(const Call& call);
void batch_random(const BatchCall& call, Randomness randomness);

// Whether an operator's file requests the loop over slices, because its body reads values.
bool is_looped(const Operator& op);

// The rule derived from an operator's schema and kernel; the loop if there is none.
BatchRule family_rule(const Operator& op);
// Whether a rule handles in-place forms by itself.
bool writes_itself(BatchRule rule);

}  // namespace mt
