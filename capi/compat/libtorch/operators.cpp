// The operators for which this ABI has individual functions.
#include <cmath>

#include "calls.h"

using namespace mt::stable;

STABLE_ABI int32_t aoti_torch_clone(mt_tensor* self, mt_tensor** ret) {
  const mt_value args[] = {tensor_argument(self)};
  void* const places[] = {ret};
  return call_into("aten::clone", "", args, 1, places, 1);
}
// Keeps the strides of `self`: the copy has the same gaps and overlaps between elements.
STABLE_ABI int32_t aoti_torch_clone_preserve_strides(mt_tensor* self, mt_tensor** ret) {
  return guarded([&] {
    require_not_null(ret, "ret");
    const mt_tensor_info info = info_of(self);
    int64_t span = info.numel ? 1 : 0;
    for (int64_t d = 0; d < info.ndim && span; ++d) span += (info.sizes[d] - 1) * info.strides[d];
    const int64_t one = 1;
    Owned flat;
    throw_on_error(mt_tensor_view(self, &span, &one, 1, info.storage_offset, flat.place()));
    const mt_value args[] = {mt_box_tensor(flat.get())};
    Owned copy(call_tensor("aten::clone", "", args, 1));
    throw_on_error(mt_tensor_view(copy.get(), info.sizes, info.strides, info.ndim, 0, ret));
  });
}
STABLE_ABI int32_t aoti_torch_copy_(mt_tensor* self, mt_tensor* src, int32_t non_blocking) {
  const mt_value args[] = {tensor_argument(self), tensor_argument(src), mt_bool(non_blocking)};
  return call_into("aten::copy_", "", args, 3, nullptr, 0);
}
STABLE_ABI int32_t aoti_torch_tensor_copy_(mt_tensor* src, mt_tensor* dst) { return aoti_torch_copy_(dst, src, 0); }
STABLE_ABI int32_t aoti_torch_zero_(mt_tensor* self) {
  const mt_value args[] = {tensor_argument(self)};
  return call_into("aten::zero_", "", args, 1, nullptr, 0);
}
STABLE_ABI int32_t aoti_torch_check_inf_and_nan(const char* tensor_name, mt_tensor* tensor) {
  return guarded([&] {
    for (const char* name : {"aten::isinf", "aten::isnan"}) {
      const mt_value args[] = {tensor_argument(tensor)};
      Owned found(call_tensor(name, "", args, 1));
      const mt_value mask[] = {mt_box_tensor(found.get())};
      Owned any(call_tensor("aten::any", "", mask, 1));
      mt_value answer;
      throw_on_error(mt_tensor_item(any.get(), &answer));
      if (answer.as.i) fail(std::string("At least one ") + (name[8] == 'i' ? "INF" : "NaN") + " in " + (tensor_name ? tensor_name : "?"));
    }
  });
}

// ---- out= forms, the output first -----------------------------------------------------------------------------------------------

STABLE_ABI int32_t aoti_torch__mm_plus_mm_out(mt_tensor* out, mt_tensor* a, mt_tensor* b, mt_tensor* c, mt_tensor* d) {
  const mt_value product[] = {tensor_argument(a), tensor_argument(b), tensor_argument(out)};
  if (const int32_t code = call_into("aten::mm", "out", product, 3, nullptr, 0)) return code;
  const mt_value sum[] = {tensor_argument(out), tensor_argument(c), tensor_argument(d)};
  return call_into("aten::addmm_", "", sum, 3, nullptr, 0);
}
STABLE_ABI int32_t aoti_torch_scatter_out(mt_tensor* out, mt_tensor* self, int64_t dim, mt_tensor* index, mt_tensor* src) {
  const mt_value args[] = {tensor_argument(self), mt_int(dim), tensor_argument(index), tensor_argument(src), tensor_argument(out)};
  return call_into("aten::scatter", "src_out", args, 5, nullptr, 0);
}
STABLE_ABI int32_t aoti_torch_scatter_reduce_out(mt_tensor* out, mt_tensor* self, int64_t dim, mt_tensor* index, mt_tensor* src,
                                                 const char* reduce, int32_t include_self) {
  const mt_value args[] = {tensor_argument(self), mt_int(dim),           tensor_argument(index), tensor_argument(src),
                           mt_box_string(reduce), mt_bool(include_self), tensor_argument(out)};
  return call_into("aten::scatter_reduce", "two_out", args, 7, nullptr, 0);
}
STABLE_ABI int32_t aoti_torch_index_put_out(mt_tensor* out, mt_tensor* self, mt_tensor* const* indices, uint32_t num_indices,
                                            mt_tensor* values, bool accumulate) {
  return guarded([&] {
    if (num_indices) require_not_null(indices, "indices");
    const size_t n = sound_length(indices, num_indices);
    std::vector<mt_tensor*> there;
    for (size_t i = 0; i < n; ++i) there.push_back(indices[i] && !is_undefined(indices[i]) ? indices[i] : nullptr);
    const mt_value args[] = {tensor_argument(self), mt_box_list(MT_TAG_OPTIONAL_TENSORS, there.data(), int64_t(there.size())),
                             tensor_argument(values), mt_bool(accumulate), tensor_argument(out)};
    if (call_into("aten::index_put", "out", args, 5, nullptr, 0)) fail(last_error());
  });
}
STABLE_ABI int32_t aoti_torch_addmm_out(mt_tensor* out, mt_tensor* self, mt_tensor* mat1, mt_tensor* mat2, float beta, float alpha) {
  const mt_value args[] = {tensor_argument(self), tensor_argument(mat1), tensor_argument(mat2),
                           mt_double(beta),       mt_double(alpha),      tensor_argument(out)};
  return call_into("aten::addmm", "out", args, 6, nullptr, 0);
}
STABLE_ABI int32_t aoti_torch_bmm_out(mt_tensor* out, mt_tensor* self, mt_tensor* mat2) {
  const mt_value args[] = {tensor_argument(self), tensor_argument(mat2), tensor_argument(out)};
  return call_into("aten::bmm", "out", args, 3, nullptr, 0);
}
STABLE_ABI int32_t aoti_torch_mm_out(mt_tensor* out, mt_tensor* self, mt_tensor* mat2) {
  const mt_value args[] = {tensor_argument(self), tensor_argument(mat2), tensor_argument(out)};
  return call_into("aten::mm", "out", args, 3, nullptr, 0);
}

// ---- deprecated functions ------------------------------------------------------------------------------------------------------

STABLE_ABI int32_t aoti_torch__embedding_bag(mt_tensor* weight, mt_tensor* indices, mt_tensor* offsets, int32_t scale_grad_by_freq,
                                             int32_t mode, int32_t sparse, mt_tensor* per_sample_weights, int32_t include_last_offset,
                                             int32_t padding_idx, mt_tensor** ret0, mt_tensor** ret1, mt_tensor** ret2, mt_tensor** ret3) {
  const mt_value args[] = {tensor_argument(weight),
                           tensor_argument(indices),
                           tensor_argument(offsets),
                           mt_bool(scale_grad_by_freq),
                           mt_int(mode),
                           mt_bool(sparse),
                           tensor_argument(per_sample_weights),
                           mt_bool(include_last_offset),
                           mt_int(padding_idx)};
  void* const places[] = {ret0, ret1, ret2, ret3};
  return call_into("aten::_embedding_bag", "", args, 9, places, 4);
}
STABLE_ABI int32_t aoti_torch__fft_c2c(mt_tensor* self, const int64_t* dim, int64_t dim_size, int64_t normalization, int32_t forward,
                                       mt_tensor** ret) {
  const mt_value args[] = {tensor_argument(self), list_argument(MT_TAG_INTS, dim, dim_size), mt_int(normalization), mt_bool(forward)};
  void* const places[] = {ret};
  return call_into("aten::_fft_c2c", "", args, 4, places, 1);
}
STABLE_ABI int32_t aoti_torch_convolution(mt_tensor* input, mt_tensor* weight, mt_tensor* bias, const int64_t* stride, int64_t stride_size,
                                          const int64_t* padding, int64_t padding_size, const int64_t* dilation, int64_t dilation_size,
                                          int transposed, const int64_t* output_padding, int64_t output_padding_size, int64_t groups,
                                          mt_tensor** ret) {
  const mt_value args[] = {tensor_argument(input),
                           tensor_argument(weight),
                           tensor_argument(bias),
                           list_argument(MT_TAG_INTS, stride, stride_size),
                           list_argument(MT_TAG_INTS, padding, padding_size),
                           list_argument(MT_TAG_INTS, dilation, dilation_size),
                           mt_bool(transposed),
                           list_argument(MT_TAG_INTS, output_padding, output_padding_size),
                           mt_int(groups)};
  void* const places[] = {ret};
  return call_into("aten::convolution", "", args, 9, places, 1);
}
STABLE_ABI int32_t aoti_torch_nonzero(mt_tensor* self, mt_tensor** ret) {
  const mt_value args[] = {tensor_argument(self)};
  void* const places[] = {ret};
  return call_into("aten::nonzero", "", args, 1, places, 1);
}
STABLE_ABI int32_t aoti_torch_repeat_interleave_Tensor(mt_tensor* repeats, int64_t* output_size, mt_tensor** ret) {
  const mt_value args[] = {tensor_argument(repeats), optional_int(output_size)};
  void* const places[] = {ret};
  return call_into("aten::repeat_interleave", "Tensor", args, 2, places, 1);
}
STABLE_ABI int32_t aoti_torch_view_as_real(mt_tensor* self, mt_tensor** ret) {
  const mt_value args[] = {tensor_argument(self)};
  void* const places[] = {ret};
  return call_into("aten::view_as_real", "", args, 1, places, 1);
}
STABLE_ABI int32_t aoti_torch_view_dtype(mt_tensor* self, int32_t dtype, mt_tensor** ret) {
  const mt_value args[] = {tensor_argument(self), mt_box_enum(MT_TAG_DTYPE, dtype)};
  void* const places[] = {ret};
  return call_into("aten::view", "dtype", args, 2, places, 1);
}
