// Encodings of MDS columns: how a sample's values are stored as bytes.
#pragma once

#include "io/source.h"

namespace mt::io {

// The contents of a sample's column.
struct Field {
  enum class Kind : uint8_t { integer, unsigned_integer, real, text, tensor } kind = Kind::text;
  int64_t integer = 0;
  double real = 0;
  std::string text;  // bytes, UTF-8 or JSON, depending on the column's encoding
  Tensor tensor;
};

struct MdsEncoding {
  enum class Kind : uint8_t { number, array, text, integer_text, real_text, bytes } kind = Kind::bytes;
  Dtype dtype = Dtype::none;  // of a number; of arrays, unless each sample states it
  std::optional<Dims> sizes;  // of arrays, unless each sample states them
};

// Appends a number's bytes as shards store them.
template <class T>
void append_little_endian(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Parses an encoding's name. ValueError for pickles and unknown names; `column` is for the message.
MdsEncoding parse_encoding(const std::string& name, const std::string& column);
// How many bytes every value has; nullopt if each sample states it.
std::optional<int64_t> fixed_size(const MdsEncoding& encoding);
Field decode(const MdsEncoding& encoding, Bytes data, const std::string& column);
// Appends a value's bytes. TypeError or ValueError if the encoding cannot represent it.
void encode(const MdsEncoding& encoding, const Field& field, const std::string& column, std::string& out);

}  // namespace mt::io
