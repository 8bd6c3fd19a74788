// Refusals that torch makes before anything is shaped, promoted or written: put before a rule.
#pragma once

#include "rules/rule.h"

namespace mt {

using CallCheck = void (*)(const Call& call);
// `rule` in every form of the operator; each call comes after check(call). Without a rule: the operator's own kernels.
const Rule* after(CallCheck check, const Rule* rule = nullptr);
// The operator's own kernels, but `write` for its in-place form on the CPU and among meta tensors, where torch writes as it goes.
const Rule* in_place_by(KernelFn write);
// Calls with meta tensors alone come after check(call).
const Rule* on_meta_after(CallCheck check, const Rule* rule);

// cumsum and its kin: without a dtype asked for, in that of the tensor that they write into.
const Rule* in_dtype_of_target(const Rule* rule);

// Where torch looks at the second tensor first, and says that the first one lies elsewhere.
void refuse_meta_mixtures_by_second(const Call& call);
// Tensors on the meta device beside others, numbers on the CPU and indices in lists aside.
void refuse_meta_mixtures(const Call& call);

// An out= that the result cannot be copied to: it lies on the meta device and no tensor among the arguments does, or the other way round.
void refuse_out_elsewhere(const Call& call);
// copysign and floor_divide, where one tensor is on the meta device: torch's words for a divisor that lies elsewhere.
void refuse_divisor_elsewhere(const Call& call);

// An out= of another dtype than the first tensor's: torch converts nothing here.
void refuse_converting_out(const Call& call);
void check_no_complex(const Call& call, const char* text);
void check_bool_out(const Call& call, const char* text);
// No complex tensor among the arguments.
template <Name text>
void refuse_complex(const Call& call) {
  check_no_complex(call, text.text);
}
// self, index and source of index_add and its kin, some of them on the meta device; self stands for a source that is a number.
void check_index_devices(const Call& call, const char* name);
template <Name name>
void refuse_index_mixtures(const Call& call) {
  check_index_devices(call, name.text);
}
// No out= but a boolean one.
template <Name text>
void refuse_non_bool_out(const Call& call) {
  check_bool_out(call, text.text);
}

}  // namespace mt
