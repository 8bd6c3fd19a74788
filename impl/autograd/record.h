// The handlers at Key::autograd and Key::view_and_version.
#pragma once

#include "autograd/op_node.h"

namespace mt {

void record_functional(const Call& call, const void* info);
void record_inplace(const Call& call, const void* info);
void record_out(const Call& call, const void* info);
void run_and_register_views(const Call& call, const void* info);
void run_and_bump_versions(const Call& call, const void* info);
void run_and_register_geometry(const Call& call, const void* info);

// A bit per result that would get history if the call ran now. Raises what recording the call would raise.
uint32_t results_to_record(const Operator& op, const Value* args);

}  // namespace mt
