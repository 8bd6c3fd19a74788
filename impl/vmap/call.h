// Declarations that the files of the vmap handler share.
#pragma once

#include "vmap/rule.h"

namespace mt {

// The handler of Key::transforms for every operator: vmap, then forward mode.
void install_transforms();

// Whether a call draws random numbers.
bool is_random(const Call& call);
void batch_random(const BatchCall& call, Randomness randomness);

// Whether an operator's definition requests one call per index of the mapped dimension, because its body reads values.
bool is_looped(const Operator& op);

// The rule derived from an operator's schema and kernel, or else the loop over the mapped dimension.
BatchRule family_rule(const Operator& op);
// Whether a rule computes in-place forms itself; for other rules the functional result is copied into `self`.
bool handles_inplace_forms(BatchRule rule);

}  // namespace mt
