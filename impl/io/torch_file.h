// torch.save's files: reads zip archives and legacy files, writes archives.
#pragma once

#include <mutex>

#include "io/checkpoint.h"
#include "io/new_file.h"
#include "io/read_ahead.h"
#include "io/tensor_dict.h"
#include "io/unpickler.h"

namespace mt::io {

// A file with a pickled object that contains tensors. Tensors that shared a storage share it again when they are read.
class TorchFile : public Checkpoint {
 public:
  Tensor read(size_t index, Access access) override { return tensor_of(records_of_entries_[index], access); }
  void read_ahead() override;
  const Item* root() const override { return root_; }
  Tensor tensor_of(int64_t record, Access access);
  Ref<Storage> storage_of(int64_t number, Access access);

  struct StorageInfo {
    StorageId id;
    int64_t nbytes = 0;
    int64_t base = -1;      // of a view: the storage that contains it
  };
  const std::vector<StorageInfo>& storages() const { return storages_; }
  const std::vector<TensorRecord>& tensors() const { return pickled_.tensors; }

 protected:
  using Checkpoint::Checkpoint;
  // Reads a storage that is not a view of another one, in the machine's byte order.
  virtual Ref<Storage> load_storage(int64_t number, Access access) = 0;
  // The offset at which the file has the storage's bytes unchanged; nullopt if they are compressed or in another byte order.
  virtual std::optional<uint64_t> place_of(int64_t number) const = 0;
  // Names every tensor by the keys and indices that lead to it.
  void list_tensors();
  // Returns the number of a storage; adds the storage if it is new.
  int64_t add_storage(const StorageId& id);

  Pickled pickled_;
  const Item* root_ = nullptr;
  std::vector<StorageInfo> storages_;

 private:
  Tensor sparse_of(const TensorRecord& record, Access access);
  Ref<Storage> load(int64_t number, Access access);
  std::unordered_map<std::string, int64_t> numbers_;
  std::vector<int64_t> records_of_entries_;
  std::vector<int> users_;          // the tensor records that use each storage
  std::vector<Ref<Storage>> kept_;  // of those that several tensors share
  ReadAhead ahead_;
  std::mutex mutex_;
};

Ref<Checkpoint> open_torch_zip(std::shared_ptr<Source> source, const ReadOptions& options);
Ref<Checkpoint> open_torch_legacy(std::shared_ptr<Source> source, const ReadOptions& options);
bool looks_like_zip(const Source& source);
bool looks_like_legacy_torch(const Source& source);

// Writes the file that torch.save would write for a dict of these tensors. `name` is the archive's folder.
void write_torch(NewFile& file, const std::string& name, const TensorDict& tensors, const Progress& progress);
// Writes torch.save's file from its pickle, and the storages to which the pickle refers by number.
void write_archive(NewFile& file, const std::string& name, std::string_view pickle, const std::vector<Ref<Storage>>& storages,
                   const Progress& progress);
// torch.save's name for the folder inside an archive: the file name without its last extension.
std::string archive_name(const std::string& path);

}  // namespace mt::io
