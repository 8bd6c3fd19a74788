// Checks that torch makes before shapes, promotion or writes: they wrap a rule.
#pragma once

#include "rules/form/rule.h"

namespace mt {

using CallCheck = void (*)(const Call& call);
// Runs check(call) before `rule`, in every form of the operator. Without a rule: before the operator's own kernels.
const Rule* rule_after_check(CallCheck check, const Rule* rule = nullptr);
// Uses the operator's own kernels, but `write` for the in-place form on the CPU and meta tensors, where torch writes while it computes.
const Rule* in_place_rule(KernelFn write);
// Runs check(call) only for calls with meta tensors.
const Rule* rule_after_meta_check(CallCheck check, const Rule* rule);

// For cumsum and similar operators: without a dtype argument they compute in the dtype of the tensor that they write.
const Rule* rule_in_target_dtype(const Rule* rule);

// For operators where torch checks the second tensor first and reports that the first is on another device.
void refuse_meta_mixtures_by_second(const Call& call);
// Refuses meta tensors together with others, except CPU numbers and index tensors in lists.
void refuse_meta_mixtures(const Call& call);

// Refuses an out= to which the result cannot be copied: it is on the meta device and no tensor argument is, or the other way round.
void refuse_out_elsewhere(const Call& call);
// For copysign and floor_divide with one meta tensor: raises torch's error message for a divisor on another device.
void refuse_divisor_elsewhere(const Call& call);

// Refuses an out= whose dtype differs from the first tensor's: torch does not convert here.
void refuse_converting_out(const Call& call);
void check_no_complex(const Call& call, const char* text);
void check_bool_out(const Call& call, const char* text);
// Refuses complex tensors among the arguments.
template <Name text>
void refuse_complex(const Call& call) {
  check_no_complex(call, text.text);
}
// self, index and source of index_add and similar operators, if some are meta tensors; for a source that is a number pass self.
void check_index_devices(const Call& call, const char* name);
template <Name name>
void refuse_index_mixtures(const Call& call) {
  check_index_devices(call, name.text);
}
// Refuses an out= that is not bool.
template <Name text>
void refuse_non_bool_out(const Call& call) {
  check_bool_out(call, text.text);
}

}  // namespace mt
