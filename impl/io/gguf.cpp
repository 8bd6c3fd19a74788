// Reads GGUF: a header of typed values, descriptions of tensors, and blocks of elements, which become floats.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "io/checkpoint.h"
#include "io/ggml_blocks.h"
#include "io/json.h"

namespace mt::io {

namespace {

constexpr std::string_view mark = "GGUF";
constexpr int deepest_array = 4;
constexpr uint64_t most_dims = 4;

enum ValueType : uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

std::string_view read_text(Cursor& cursor) { return cursor.read_text(cursor.read_little_endian<uint64_t>()); }

template <class T>
std::string read_number(Cursor& cursor) {
  const T value = cursor.read_little_endian<T>();
  if constexpr (std::is_floating_point_v<T>) {
    char text[40];
    std::snprintf(text, sizeof text, sizeof(T) == 4 ? "%.9g" : "%.17g", double(value));
    return text;
  } else {
    return std::to_string(value);
  }
}

// Reads a value and returns it as JSON, except that a string on its own has no quotes.
std::string read_value(Cursor& cursor, uint32_t type, int depth) {
  switch (type) {
    case u8: return read_number<uint8_t>(cursor);
    case i8: return read_number<int8_t>(cursor);
    case u16: return read_number<uint16_t>(cursor);
    case i16: return read_number<int16_t>(cursor);
    case u32: return read_number<uint32_t>(cursor);
    case i32: return read_number<int32_t>(cursor);
    case u64: return read_number<uint64_t>(cursor);
    case i64: return read_number<int64_t>(cursor);
    case f32: return read_number<float>(cursor);
    case f64: return read_number<double>(cursor);
    case boolean: return cursor.read_little_endian<uint8_t>() ? "true" : "false";
    case string: return depth ? quoted_json(read_text(cursor)) : std::string(read_text(cursor));
    case array: {
      check(depth < deepest_array, "GGUF: arrays are nested too deeply");
      const auto item = cursor.read_little_endian<uint32_t>();
      const auto count = cursor.read_little_endian<uint64_t>();
      check(count <= cursor.left(), "GGUF: an array of {} values, and {} bytes are left", count, uint64_t(cursor.left()));
      std::string text = "[";
      for (uint64_t i = 0; i < count; ++i) text += (i ? ", " : "") + read_value(cursor, item, depth + 1);
      return text + "]";
    }
    default: fail("GGUF: values of type {} are not known here", uint64_t(type));
  }
}

class File final : public Checkpoint {
 public:
  explicit File(std::shared_ptr<Source> from) : Checkpoint(Format::gguf, std::move(from)) {
    Cursor cursor(source->view(0, source->size()), "GGUF");
    cursor.skip(mark.size());
    const auto version = cursor.read_little_endian<uint32_t>();
    check(version == 2 || version == 3, "GGUF: version {} is not known here", uint64_t(version));
    const auto tensors = cursor.read_little_endian<uint64_t>(), values = cursor.read_little_endian<uint64_t>();
    for (uint64_t i = 0; i < values; ++i) {
      std::string key(read_text(cursor));
      const auto type = cursor.read_little_endian<uint32_t>();
      metadata.emplace_back(std::move(key), read_value(cursor, type, 0));
    }
    for (uint64_t i = 0; i < tensors; ++i) add_tensor(cursor);
    const uint64_t alignment = read_alignment();
    begin_ = cursor.position() + (alignment - cursor.position() % alignment) % alignment;
    for (size_t i = 0; i < entries.size(); ++i)
      check(parts_[i].offset % alignment == 0 && begin_ <= source->size() && source->contains(begin_, parts_[i].offset) &&
                source->contains(begin_ + parts_[i].offset, parts_[i].size),
            "GGUF: tensor \"{}\" has {} bytes at {}, which are not in the file", escape_for_message(entries[i].name), parts_[i].size,
            parts_[i].offset);
    index_names();
  }

  Tensor read(size_t index, Access access) override {
    const Part& part = parts_[index];
    const Entry& entry = entries[index];
    if (!part.type->dequantize) return tensor_at(*source, begin_ + part.offset, entry, access);
    Tensor out = empty(entry.sizes, Dtype::float32);
    dequantize(*part.type, source->view(begin_ + part.offset, part.size), static_cast<float*>(out.data()));
    return out;
  }

 private:
  struct Part {
    uint64_t offset, size;
    const GgmlType* type;
  };

  void add_tensor(Cursor& cursor) {
    Entry entry;
    entry.name = read_text(cursor);
    const auto dims = cursor.read_little_endian<uint32_t>();
    check(dims <= most_dims, "GGUF: tensor \"{}\" has {} dimensions; at most {} are allowed", escape_for_message(entry.name),
          uint64_t(dims), most_dims);
    for (uint32_t d = 0; d < dims; ++d) {
      const auto size = cursor.read_little_endian<uint64_t>();
      check(size <= INT64_MAX, "GGUF: tensor \"{}\" has a dimension of {} elements", escape_for_message(entry.name), size);
      entry.sizes.push_back(int64_t(size));
    }
    // The file lists sizes from the innermost dimension to the outermost; they are reversed.
    const int64_t row = entry.sizes.empty() ? 1 : entry.sizes[0];
    std::reverse(entry.sizes.begin(), entry.sizes.end());
    const auto number = cursor.read_little_endian<uint32_t>();
    const GgmlType* type = find_ggml_type(number);
    check(type != nullptr, "GGUF: tensor \"{}\" is of type {}, which is not known here", escape_for_message(entry.name), uint64_t(number));
    entry.dtype = type->dtype;
    const std::optional<int64_t> needed = bytes_needed(entry.sizes, entry.dtype);
    check(needed && row % type->block == 0, "GGUF: tensor \"{}\" of shape {} does not consist of blocks of {}",
          escape_for_message(entry.name), entry.sizes, type->block);
    entry.nbytes = *needed;
    const int64_t numel = *needed / element_size(entry.dtype);
    const auto offset = cursor.read_little_endian<uint64_t>();
    // Cannot overflow: a block never has more bytes than the floats that it becomes, whose size was checked.
    parts_.push_back({offset, uint64_t(numel / type->block * type->block_size), type});
    entries.push_back(std::move(entry));
  }

  uint64_t read_alignment() const {
    for (const auto& [key, value] : metadata) {
      if (key != "general.alignment") continue;
      const uint64_t alignment = std::strtoull(value.c_str(), nullptr, 10);
      check(alignment > 0 && alignment <= (1 << 20), "GGUF: general.alignment is {}", escape_for_message(value));
      return alignment;
    }
    return 32;
  }

  uint64_t begin_ = 0;  // of the elements
  std::vector<Part> parts_;
};

}  // namespace

bool looks_like_gguf(const Source& source) { return source.size() >= 4 && text_of(source.view(0, 4)) == mark; }
Ref<Checkpoint> open_gguf(std::shared_ptr<Source> source) { return Ref<Checkpoint>::adopt(new File(std::move(source))); }

}  // namespace mt::io
