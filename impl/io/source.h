// The bytes of a file for parsers: mapped, of a known length, and shared with the tensors read from it.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace mt::io {

using Bytes = std::span<const uint8_t>;

// How a tensor gets its elements: as a private map of the file (pages load on access, writes stay in the process), or as a
// copy.
enum class Access { map, copy };

class Source : public std::enable_shared_from_this<Source> {
 public:
  // Maps a regular file. RuntimeError if it cannot be opened.
  static std::shared_ptr<Source> open(const std::string& path);
  // Makes a source of bytes in memory, and keeps `owner` alive as long as anybody reads them.
  static std::shared_ptr<Source> over(Bytes bytes, std::shared_ptr<void> owner);
  static std::shared_ptr<Source> holding(std::vector<uint8_t> bytes);
  ~Source();
  Source(const Source&) = delete;

  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }
  bool contains(uint64_t offset, uint64_t count) const { return offset <= size_ && count <= size_ - offset; }
  // `count` bytes from `offset`; RuntimeError if the file has fewer.
  Bytes view(uint64_t offset, uint64_t count) const;
  // Copies parts of the file, with several threads if there are many bytes. RuntimeError if the file has fewer.
  struct Part {
    uint64_t offset, count;
    void* to;
  };
  void read(std::span<const Part> parts) const;
  // A storage over the bytes of view(). A map is copied if it is not aligned for elements of `alignment` bytes.
  Ref<Storage> storage(uint64_t offset, uint64_t count, Access access, int64_t alignment) const;

 private:
  Source() = default;
  void read_piece(const Part& piece) const;
  std::string name_;
  uint8_t* data_ = nullptr;
  uint64_t size_ = 0;
  int descriptor_ = -1;  // of a mapped file
  std::shared_ptr<void> owner_;
};

// Reads numbers from bytes in order, and checks each read against the end; `what` names the part of the file in errors.
class Cursor {
 public:
  Cursor(Bytes bytes, const char* what) : bytes_(bytes), what_(what) {}
  size_t position() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }
  Bytes take(uint64_t count);
  void skip(uint64_t count) { take(count); }
  template <class T>
  T read_little_endian() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view read_text(uint64_t count) {
    const Bytes bytes = take(count);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  Bytes bytes_;
  const char* what_;
  size_t at_ = 0;
};

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }
// Prints text from a file for an error message: at most 80 characters, with \xNN for everything but printable ASCII.
std::string escape_for_message(std::string_view text);
bool is_utf8(std::string_view text);
// Whether a text is UTF-8 that may contain surrogates, as pickles' texts may.
bool is_utf8_or_surrogates(std::string_view text);
// The bytes of a contiguous tensor; nullopt if a size is negative, there are too many, or the product exceeds 63 bits.
std::optional<int64_t> bytes_needed(IntList sizes, Dtype dtype);

}  // namespace mt::io
