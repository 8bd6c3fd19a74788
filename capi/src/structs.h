// Public structs of different versions: a program may have been compiled with headers that have fewer or more fields than this library.
#pragma once
#include <algorithm>
#include <cstring>

#include "convert.h"

namespace mt::capi {

// A struct_size above this is uninitialised: no public struct is that large.
constexpr size_t max_struct_size = 4096;

template <class S>
inline void check_struct(const S* given, const char* what) {
  static_assert(offsetof(S, struct_size) == 0 && sizeof(S) <= max_struct_size);
  require_not_null(given, what);
  const size_t size = given->struct_size;
  if (__builtin_expect(size < sizeof(size_t) || size > max_struct_size, 0)) fail_struct_size(what, sizeof(S), size);
}

// Reads the caller's struct; fields that it lacks are zero. Refuses nonzero fields that this library does not know.
template <class S>
inline S read_struct(const S* given, const char* what) {
  check_struct(given, what);
  const size_t size = given->struct_size;
  const char* bytes = reinterpret_cast<const char*>(given);
  for (size_t i = sizeof(S); i < size; ++i) {
    if (bytes[i] != 0) fail_unknown_fields(what, sizeof(S));
  }
  S own{};
  std::memcpy(&own, bytes, std::min(size, sizeof(S)));
  own.struct_size = sizeof(S);
  return own;
}

// Fills in the fields for which the caller has room; fields that this library does not know become zero. struct_size stays the caller's.
template <class S>
inline void write_struct(S* out, const char* what, S value) {
  check_struct(out, what);
  const size_t size = out->struct_size;
  value.struct_size = size;
  std::memcpy(out, &value, std::min(size, sizeof(S)));
  if (size > sizeof(S)) std::memset(reinterpret_cast<char*>(out) + sizeof(S), 0, size - sizeof(S));
}

}  // namespace mt::capi
