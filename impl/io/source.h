// The bytes of a file as parsers see them: mapped, of a known length, and shared with the tensors that were read from it.
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

// How a tensor gets its elements: as a private map of the file (pages come when they are touched, writes stay in the process), or as a
// copy in memory of its own.
enum class Access { map, copy };

class Source : public std::enable_shared_from_this<Source> {
 public:
  // Maps a regular file. RuntimeError where it cannot be opened.
  static std::shared_ptr<Source> open(const std::string& path);
  // Bytes in memory; `owner` is kept as long as somebody reads them.
  static std::shared_ptr<Source> over(Bytes bytes, std::shared_ptr<void> owner);
  static std::shared_ptr<Source> holding(std::vector<uint8_t> bytes);
  ~Source();
  Source(const Source&) = delete;

  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }
  bool contains(uint64_t offset, uint64_t count) const { return offset <= size_ && count <= size_ - offset; }
  // `count` bytes from `offset`; RuntimeError where the file has fewer.
  Bytes view(uint64_t offset, uint64_t count) const;
  // The same, copied; large pieces by several threads.
  void read(uint64_t offset, uint64_t count, void* to) const;
  // The same, as a storage. A map is copied all the same where it is not aligned for elements of `alignment` bytes.
  Ref<Storage> storage(uint64_t offset, uint64_t count, Access access, int64_t alignment) const;

 private:
  Source() = default;
  std::string name_;
  uint8_t* data_ = nullptr;
  uint64_t size_ = 0;
  int descriptor_ = -1;  // of a mapped file
  std::shared_ptr<void> owner_;
};

// Numbers in a run of bytes, read in order. Every step is checked against the end; `what` names the file's part in the error.
class Cursor {
 public:
  Cursor(Bytes bytes, const char* what) : bytes_(bytes), what_(what) {}
  size_t position() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }
  Bytes take(uint64_t count);
  void skip(uint64_t count) { take(count); }
  template <class T>
  T little() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view text(uint64_t count) {
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
// A file's text as an error shows it: what is not printable ASCII as \xNN, and no more than 80 characters of it.
std::string shown(std::string_view text);
bool is_utf8(std::string_view text);
// UTF-8 in which halves of surrogate pairs may stand, as pickles have it.
bool is_utf8_or_surrogates(std::string_view text);
// numel * size of an element, or nothing where a size is negative, there are too many, or the product leaves 63 bits.
std::optional<int64_t> bytes_needed(IntList sizes, Dtype dtype);

}  // namespace mt::io
