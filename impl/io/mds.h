// MDS, the shards of MosaicML's streaming datasets: samples of named, typed columns, in files with an index of their offsets.
#pragma once

#include <list>
#include <mutex>

#include "io/mds_encoding.h"

namespace mt::io {

class Dataset : public mt::Object {
 public:
  // A folder with an index.json of version 2. Opening a shard checks it against the index.
  explicit Dataset(const std::string& folder);
  static void destroy(Dataset* dataset) noexcept { delete dataset; }

  struct Column {
    std::string name, encoding;
    MdsEncoding parsed;
  };
  const std::vector<Column>& columns() const { return columns_; }
  int64_t size() const { return starts_.back(); }
  std::vector<Field> read(int64_t index);
  // The first sample of each shard, and the end of the last shard.
  const std::vector<int64_t>& shard_starts() const { return starts_; }

 private:
  struct Shard {
    std::string raw, packed;  // paths; `packed` is empty if there is no compressed file
    uint64_t raw_bytes = 0;
    std::vector<int64_t> sizes;  // of the columns; -1: stored in each sample
    int64_t samples = 0;
  };
  std::shared_ptr<Source> open_shard(size_t number);

  std::vector<Column> columns_;
  std::vector<Shard> shards_;
  std::vector<int64_t> starts_;
  // Opened shards, most recently used first.
  std::list<std::pair<size_t, std::shared_ptr<Source>>> opened_;
  std::mutex mutex_;
};

// A permutation of 0 ... size - 1 from a seed: shards in random order, and samples shuffled within blocks of `block` samples, so that few
// shards are open at a time. The same on every machine.
std::vector<int64_t> shuffle_within_blocks(const std::vector<int64_t>& shard_starts, uint64_t seed, int64_t block);

}  // namespace mt::io
