// An opened file of named tensors in any format: names, sizes and dtypes are known; elements are read on request.
#pragma once

#include <string_view>
#include <unordered_map>

#include "io/source.h"

namespace mt::io {

// The values are those of the C ABI's MT_FORMAT_*.
enum class Format : int32_t { safetensors = 1, torch = 2, torch_legacy = 3, npy = 4, npz = 5, gguf = 6, compressed = 7 };
const char* name_of(Format format);

struct Entry {
  std::string name;
  Dtype dtype = Dtype::float32;
  Dims sizes;
  int64_t nbytes = 0;  // of the elements, after `read`
};

struct Item;  // io/item.h: the file's contents besides tensors

struct ReadOptions {
  std::vector<std::string> allowed;  // globals that a pickle may name, in addition to torch's
};

class Checkpoint : public mt::Object {
 public:
  Checkpoint(Format format, std::shared_ptr<Source> source) : mt::Object(Kind::checkpoint), format(format), source(std::move(source)) {}
  virtual ~Checkpoint() = default;
  static void destroy(Checkpoint* checkpoint) noexcept { delete checkpoint; }

  virtual Tensor read(size_t index, Access access) = 0;
  // Reads all tensors' elements at once, and keeps those of each tensor for its next read() with Access::copy. Does nothing in formats that
  // decode elements.
  virtual void read_ahead() {}
  // The file's pickled object, which contains the tensors; nullptr in formats without one.
  virtual const Item* root() const { return nullptr; }
  // Returns the index of the first entry with a name, or -1.
  int64_t find(std::string_view name) const;

  const Format format;
  const std::shared_ptr<Source> source;
  std::vector<Entry> entries;
  std::vector<std::pair<std::string, std::string>> metadata;

 protected:
  // Indexes the names for find(); subclasses call it when `entries` is complete.
  void index_names();

 private:
  std::unordered_map<std::string_view, size_t> index_;
};

// Opens a file in the format that its first bytes indicate. RuntimeError if they match none.
Ref<Checkpoint> open_checkpoint(std::shared_ptr<Source> source, const ReadOptions& options);

// Makes a contiguous tensor over a part of the file.
Tensor tensor_at(const Source& source, uint64_t offset, const Entry& entry, Access access);

// Each opens a file of one format.
Ref<Checkpoint> open_safetensors(std::shared_ptr<Source> source);
bool looks_like_safetensors(const Source& source);
Ref<Checkpoint> open_npy(std::shared_ptr<Source> source);
bool looks_like_npy(const Source& source);
Ref<Checkpoint> open_npz(std::shared_ptr<Source> source);
bool looks_like_npz(const Source& source);  // of a zip archive
Ref<Checkpoint> open_gguf(std::shared_ptr<Source> source);
bool looks_like_gguf(const Source& source);
Ref<Checkpoint> open_compressed(std::shared_ptr<Source> source);
bool looks_like_compressed(const Source& source);

}  // namespace mt::io
