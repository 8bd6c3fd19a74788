// Keeps shapes and numbers, and no tensors, which would live as long as the profile.
#include "dispatch/profiled_inputs.h"

namespace mt {
namespace {

bool is_number(int32_t tag) { return (tag >= MT_TAG_BOOL && tag <= MT_TAG_MEMORY_FORMAT) || (tag >= MT_TAG_INTS && tag <= MT_TAG_BOOLS); }

}  // namespace

Profile::~Profile() {
  for (mt_profile_input& input : inputs)
    if (input.value.flags & MT_FLAG_OWNED) clear(input.value);
}

void record_tensor_input(Profile& p, const Tensor& t, int32_t tag) {
  mt_profile_input input{Value{tag, 0, {}}, 0, -1, nullptr, nullptr};
  if (t.defined()) {
    input.dtype = int32_t(t.dtype());
    input.ndim = int32_t(t.dim());
    input.sizes = reinterpret_cast<const int64_t*>(p.dims.size());
    for (IntList list : {t.sizes(), t.strides()}) p.dims.insert(p.dims.end(), list.begin(), list.end());
  }
  p.inputs.push_back(input);
}

void record_inputs(const Value* args, int n) {
  Profile& p = *profile_thread.profile;
  for (int i = 0; i < n; ++i) {
    const Value& v = args[i];
    if (v.tag == MT_TAG_TENSOR) {
      record_tensor_input(p, Unbox<Tensor>::from(v), MT_TAG_NONE);
    } else if (v.tag == MT_TAG_TENSORS) {
      const TensorList list = Unbox<TensorList>::from(v);
      p.inputs.push_back({int_value(MT_TAG_TENSORS, list.size()), 0, -1, nullptr, nullptr});
      for (const Tensor& t : list) record_tensor_input(p, t, MT_TAG_TENSORS);
    } else {
      p.inputs.push_back({is_number(v.tag) ? own(v) : none_value(), 0, -1, nullptr, nullptr});
    }
  }
  open_range().seen.n_inputs = n;
}

}  // namespace mt
