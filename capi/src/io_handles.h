// Handles of opened files and dictionaries of tensors.
#pragma once

#include "convert.h"
#include "io/checkpoint.h"
#include "io/tensor_dict.h"

namespace mt::capi {

// The object behind an mt_checkpoint handle: an opened file, and whether its tensors are mapped or copied.
struct Opened : Object {
  Opened(Ref<io::Checkpoint> checkpoint, io::Access how) : Object(Kind::checkpoint), file(std::move(checkpoint)), access(how) {}
  static void destroy(Opened* opened) noexcept { delete opened; }
  const Ref<io::Checkpoint> file;
  const io::Access access;
};

template <>
inline constexpr Kind kind_of<Opened> = Kind::checkpoint;
template <>
inline constexpr Kind kind_of<io::TensorDict> = Kind::tensor_dict;

inline Opened& opened_of(const mt_checkpoint* handle) { return object_of<Opened>(handle, "checkpoint"); }
inline io::TensorDict& dict_of(const mt_tensor_dict* handle) { return object_of<io::TensorDict>(handle, "dict"); }

}  // namespace mt::capi
