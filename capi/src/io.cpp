// Checkpoints: opens, describes, reads and saves them.
#include "core/messages.h"
#include "io/compressed.h"
#include "io/npy_writer.h"
#include "io/safetensors.h"
#include "io/torch_file.h"
#include "io/zstd_stream.h"
#include "io_handles.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

namespace {

size_t checked_index(const Opened& opened, int64_t index) {
  const size_t count = opened.file->entries.size();
  check(index >= 0 && size_t(index) < count, ErrorKind::index, messages::no_such_tensor_index, index, uint64_t(count));
  return size_t(index);
}

io::Access access_of(int32_t access) {
  check(access == MT_READ_MAP || access == MT_READ_COPY, ErrorKind::value, "{} is not a way to read tensors", access);
  return access == MT_READ_COPY ? io::Access::copy : io::Access::map;
}

io::ReadOptions read_options_of(const mt_checkpoint_options& options) {
  io::ReadOptions reading;
  check(options.n_allowed >= 0, ErrorKind::value, "n_allowed must not be negative, got {}", options.n_allowed);
  if (options.n_allowed) require_not_null(options.allowed, "allowed");
  for (int64_t i = 0; i < options.n_allowed; ++i) {
    require_not_null(options.allowed[i], "allowed");
    reading.allowed.emplace_back(options.allowed[i]);
  }
  return reading;
}

std::vector<std::pair<std::string, std::string>> metadata_of(const mt_save_options& options) {
  std::vector<std::pair<std::string, std::string>> pairs;
  check(options.n_metadata >= 0, ErrorKind::value, "n_metadata must not be negative, got {}", options.n_metadata);
  if (options.n_metadata) require_not_null(options.metadata, "metadata");
  for (int64_t i = 0; i < options.n_metadata; ++i) {
    const char *key = options.metadata[2 * i], *value = options.metadata[2 * i + 1];
    require_not_null(key, "metadata");
    require_not_null(value, "metadata");
    check(io::is_utf8(key) && io::is_utf8(value), ErrorKind::value, "metadata must be UTF-8");
    pairs.emplace_back(key, value);
  }
  return pairs;
}

void write_as(io::Format format, io::NewFile& file, const char* path, const io::TensorDict& tensors, const mt_save_options& options,
              const io::Progress& progress) {
  const bool writes = format != io::Format::torch_legacy && format != io::Format::gguf && io::name_of(format) != nullptr;
  check(writes, ErrorKind::value, "{} is not a format to save in", options.format);
  const auto metadata = metadata_of(options);
  check(metadata.empty() || format == io::Format::safetensors || format == io::Format::compressed, ErrorKind::value,
        "{} files have no metadata", io::name_of(format));
  check(options.level == 0 || format == io::Format::compressed, ErrorKind::value, "{} files have no level of compression",
        io::name_of(format));
  check(options.level >= 0 && options.level <= io::highest_zstd_level, ErrorKind::value, "a level of compression is 1 to {}, got {}",
        io::highest_zstd_level, options.level);
  switch (format) {
    case io::Format::safetensors: return io::write_safetensors(file, tensors, metadata, progress);
    case io::Format::torch: return io::write_torch(file, io::archive_name(path), tensors, progress);
    case io::Format::npy: return io::write_npy(file, tensors, progress);
    case io::Format::npz: return io::write_npz(file, tensors, progress);
    default: return io::write_compressed(file, tensors, metadata, options.level ? options.level : io::usual_zstd_level, progress);
  }
}

io::Progress progress_of(const mt_save_options& options) {
  if (!options.progress) return nullptr;
  return [report = options.progress, user = options.user](int64_t done, int64_t total) { rethrow_status(report(user, done, total)); };
}

}  // namespace

mt_status* mt_checkpoint_open(const char* path, const mt_checkpoint_options* options, mt_checkpoint** out) {
  return guard([&] {
    require_not_null(path, "path");
    require_not_null(out, "out");
    const mt_checkpoint_options wanted = options ? read_struct(options, "options") : mt_checkpoint_options{};
    const io::Access access = access_of(wanted.access);
    const io::ReadOptions reading = read_options_of(wanted);
    ensure_registry();
    *out = reinterpret_cast<mt_checkpoint*>(new Opened(io::open_checkpoint(io::Source::open(path), reading), access));
  });
}
void mt_checkpoint_retain(mt_checkpoint* checkpoint) { retain(checkpoint); }
void mt_checkpoint_release(mt_checkpoint* checkpoint) { release<Opened>(checkpoint); }

mt_status* mt_checkpoint_get_info(const mt_checkpoint* checkpoint, mt_checkpoint_info* out) {
  return guard([&] {
    const io::Checkpoint& file = *opened_of(checkpoint).file;
    mt_checkpoint_info info{};
    info.format = int32_t(file.format);
    info.n_tensors = int64_t(file.entries.size());
    info.n_metadata = int64_t(file.metadata.size());
    if (file.root())
      for (const auto& storage : static_cast<const io::TorchFile&>(file).storages()) info.n_elsewhere += storage.id.location != "cpu";
    write_struct(out, "out", info);
  });
}
mt_status* mt_checkpoint_get_entry(const mt_checkpoint* checkpoint, int64_t index, mt_checkpoint_entry* out) {
  return guard([&] {
    const Opened& opened = opened_of(checkpoint);
    const io::Entry& entry = opened.file->entries[checked_index(opened, index)];
    mt_checkpoint_entry seen{};
    seen.name = entry.name.c_str();
    seen.dtype = int32_t(entry.dtype);
    seen.ndim = entry.sizes.size();
    seen.sizes = entry.sizes.data();
    seen.nbytes = entry.nbytes;
    write_struct(out, "out", seen);
  });
}
mt_status* mt_checkpoint_find(const mt_checkpoint* checkpoint, const char* name, int64_t* index) {
  return guard([&] {
    const Opened& opened = opened_of(checkpoint);
    require_not_null(name, "name");
    require_not_null(index, "index");
    *index = opened.file->find(name);
  });
}
mt_status* mt_checkpoint_read(mt_checkpoint* checkpoint, int64_t index, mt_tensor** out) {
  return guard([&] {
    const Opened& opened = opened_of(checkpoint);
    require_not_null(out, "out");
    *out = return_handle(opened.file->read(checked_index(opened, index), opened.access));
  });
}
mt_status* mt_checkpoint_read_ahead(mt_checkpoint* checkpoint) {
  return guard([&] {
    const Opened& opened = opened_of(checkpoint);
    if (opened.access == io::Access::copy) opened.file->read_ahead();
  });
}
mt_status* mt_checkpoint_read_all(mt_checkpoint* checkpoint, mt_tensor_dict** out) {
  return guard([&] {
    const Opened& opened = opened_of(checkpoint);
    require_not_null(out, "out");
    if (opened.access == io::Access::copy) opened.file->read_ahead();
    auto dict = Ref<io::TensorDict>::adopt(new io::TensorDict());
    for (size_t i = 0; i < opened.file->entries.size(); ++i) dict->set(opened.file->entries[i].name, opened.file->read(i, opened.access));
    *out = reinterpret_cast<mt_tensor_dict*>(dict.detach());
  });
}
mt_status* mt_checkpoint_metadata(const mt_checkpoint* checkpoint, int64_t index, const char** key, const char** value) {
  return guard([&] {
    const auto& pairs = opened_of(checkpoint).file->metadata;
    require_not_null(key, "key");
    require_not_null(value, "value");
    check(index >= 0 && size_t(index) < pairs.size(), ErrorKind::index, "there is no metadata {} among {}", index, uint64_t(pairs.size()));
    *key = pairs[size_t(index)].first.c_str();
    *value = pairs[size_t(index)].second.c_str();
  });
}

mt_status* mt_checkpoint_save(const char* path, const mt_tensor_dict* dict, const mt_save_options* options) {
  return guard([&] {
    require_not_null(path, "path");
    const io::TensorDict& tensors = dict_of(dict);
    const mt_save_options wanted = options ? read_struct(options, "options") : mt_save_options{};
    ensure_registry();
    io::NewFile file(path);
    write_as(io::Format(wanted.format ? wanted.format : MT_FORMAT_SAFETENSORS), file, path, tensors, wanted, progress_of(wanted));
    file.finish(/*synced=*/!wanted.without_sync);
  });
}

mt_status* mt_checkpoint_save_pickle(const char* path, const void* pickle, int64_t pickle_size, mt_storage* const* storages,
                                     int64_t n_storages, const mt_save_options* options) {
  return guard([&] {
    require_not_null(path, "path");
    require_not_null(pickle, "pickle");
    check(pickle_size >= 0 && n_storages >= 0, ErrorKind::value, "sizes must not be negative, got {} and {}", pickle_size, n_storages);
    const mt_save_options wanted = options ? read_struct(options, "options") : mt_save_options{};
    check(wanted.format == 0 || wanted.format == MT_FORMAT_TORCH, ErrorKind::value, "only torch's files have a pickle");
    check(wanted.n_metadata == 0 && wanted.level == 0, ErrorKind::value, "torch's files have neither metadata nor a level");
    std::vector<Ref<Storage>> shared;
    if (n_storages) require_not_null(storages, "storages");
    for (int64_t i = 0; i < n_storages; ++i) shared.push_back(Ref<Storage>::share(&storage_of(storages[i])));
    ensure_registry();
    io::NewFile file(path);
    io::write_archive(file, io::archive_name(path), {static_cast<const char*>(pickle), size_t(pickle_size)}, shared, progress_of(wanted));
    file.finish(/*synced=*/!wanted.without_sync);
  });
}
