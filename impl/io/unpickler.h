// The restricted unpickler: allows and refuses what torch.load(weights_only=True) does, with the same error messages.
#pragma once

#include <deque>
#include <functional>
#include <set>

#include "io/item.h"
#include "io/source.h"

namespace mt::io {

// A pickle's persistent id, which names a storage.
struct StorageId {
  Dtype dtype = Dtype::uint8;
  std::string key;
  std::string location;  // "cpu", "cuda:0"
  int64_t numel = 0;
  // In a legacy file, the part of the storage that the pickle uses, if it is not all of it.
  bool is_view = false;
  int64_t view_offset = 0, view_numel = 0;
};

// A pickled tensor: its storage in the file and its position there, or its components.
struct TensorRecord {
  int64_t storage = -1;  // -1: none (meta, or sparse)
  Dtype dtype = Dtype::float32;
  Dims sizes, strides;
  int64_t offset = 0;
  bool conj = false, neg = false;
  Layout layout = Layout::strided;
  // Records of a sparse_coo tensor's indices and values; for compressed layouts, of both index tensors and the values.
  int64_t parts[3] = {-1, -1, -1};
  bool is_coalesced = false;
};

// The result of reading a pickle.
struct Pickled {
  std::deque<Item> items;
  std::vector<TensorRecord> tensors;
};

// A storage that the file contains: its number and size.
struct KnownStorage {
  int64_t number = 0;
  int64_t nbytes = 0;
};
using FindStorage = std::function<KnownStorage(const StorageId&)>;

// Reads the pickle at the cursor and advances the cursor to its end. `allowed`: dotted names that it may contain besides torch's.
// UnpicklingError if it contains anything else.
const Item* unpickle(Cursor& cursor, Pickled& out, const FindStorage& find_storage, const std::set<std::string>& allowed);

}  // namespace mt::io
