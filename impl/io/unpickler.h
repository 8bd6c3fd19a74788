// The restricted unpickler: what torch.load(weights_only=True) allows, refused and allowed as there, with its texts.
#pragma once

#include <deque>
#include <functional>
#include <set>

#include "io/item.h"
#include "io/source.h"

namespace mt::io {

// What a pickle's persistent id stands for.
struct StorageId {
  Dtype dtype = Dtype::uint8;
  std::string key;
  std::string location;  // "cpu", "cuda:0"
  int64_t numel = 0;
  // Of a legacy file: the part of the storage that is meant, where it is not all of it.
  bool is_view = false;
  int64_t view_offset = 0, view_numel = 0;
};

// A tensor as a pickle describes it: where in which storage of the file, or of which parts it is made.
struct TensorRecord {
  int64_t storage = -1;  // -1: none (meta, or sparse)
  Dtype dtype = Dtype::float32;
  Dims sizes, strides;
  int64_t offset = 0;
  bool conj = false, neg = false;
  Layout layout = Layout::strided;
  // Records of a sparse tensor's indices and values; of compressed layouts: of both kinds of indices, and values.
  int64_t parts[3] = {-1, -1, -1};
  bool is_coalesced = false;
};

// What a pickle is read into.
struct Pickled {
  std::deque<Item> items;
  std::vector<TensorRecord> tensors;
};

// The number of a storage that the file has, and its bytes.
struct KnownStorage {
  int64_t number = 0;
  int64_t nbytes = 0;
};
using FindStorage = std::function<KnownStorage(const StorageId&)>;

// Reads the pickle at the cursor, which is left behind its end. `allowed` are dotted names that may be in it besides torch's.
// UnpicklingError where it holds something that is not allowed.
const Item* unpickle(Cursor& cursor, Pickled& out, const FindStorage& find_storage, const std::set<std::string>& allowed);

}  // namespace mt::io
