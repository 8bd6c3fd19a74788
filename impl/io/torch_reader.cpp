// Opens both formats of torch.save.
#include "core/exception.h"
#include "io/numpy_types.h"
#include "io/pickle_calls.h"
#include "io/torch_file.h"
#include "io/zip.h"

namespace mt::io {

namespace {

constexpr std::string_view zip_mark("PK\x03\x04", 4);
// A legacy file begins with a pickle of the number 0x1950a86a20f9469cfc6c, in protocol 2.
constexpr std::string_view legacy_mark("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.", 15);

class ZipFile final : public TorchFile {
 public:
  ZipFile(std::shared_ptr<Source> from, const ReadOptions& options) : TorchFile(Format::torch, std::move(from)), zip_(source) {
    check(!zip_.records().empty(), "[enforce fail at inline_container.cc:171] . archive does not contain any files");
    const std::string& first = zip_.records()[0].name;
    const size_t slash = first.find('/');
    check(slash != std::string::npos, "[enforce fail at inline_container.cc:180] . file in archive is not in a subdirectory: {}",
          escape_for_message(first));
    folder_ = first.substr(0, slash + 1);
    check(zip_.find(folder_ + "constants.pkl") == nullptr, "the file <{}> is a TorchScript archive, which is not read here",
          source->name());
    const std::string order = zip_.find(folder_ + "byteorder") ? zip_.read(find_record("byteorder")) : "little";
    check(order == "little" || order == "big", ErrorKind::value, "Unknown endianness type: {}", escape_for_message(order));
    is_big_ = order == "big";
    const std::string pickle = zip_.read(find_record("data.pkl"));
    Cursor cursor(bytes_of(pickle), "the pickle");
    const auto find = [&](const StorageId& id) {
      if (id.is_view) refuse_pickle("a storage in the pickle is described wrongly");
      const int64_t number = add_storage(id);
      // The first reference to a storage states its size, which must agree with its record.
      const ZipReader::Record& record = find_record("data/" + id.key);
      check(int64_t(record.size) == storages_[size_t(number)].nbytes,
            "record size ({} bytes) does not match expected size ({} bytes = {} elements * {} bytes/element) for dtype {}", record.size,
            storages_[size_t(number)].nbytes, id.numel, element_size(id.dtype), id.dtype);
      return KnownStorage{number, int64_t(record.size)};
    };
    root_ = unpickle(cursor, pickled_, find, std::set<std::string>(options.allowed.begin(), options.allowed.end()));
    list_tensors();
  }

 private:
  const ZipReader::Record& find_record(const std::string& name) const {
    const ZipReader::Record* record = zip_.find(folder_ + name);
    if (!record) fail_archive("locating file " + escape_for_message(name), "file not found");
    return *record;
  }

  Ref<Storage> load_storage(int64_t number, Access access) override {
    const StorageId& id = storages_[size_t(number)].id;
    Ref<Storage> storage = zip_.storage(find_record("data/" + id.key), is_big_ ? Access::copy : access, element_size(id.dtype));
    if (is_big_) swap_bytes(*storage, id.dtype);
    return storage;
  }

  std::optional<uint64_t> place_of(int64_t number) const override {
    if (is_big_) return std::nullopt;
    return zip_.place_of(find_record("data/" + storages_[size_t(number)].id.key));
  }

  const ZipReader zip_;
  std::string folder_;
  bool is_big_ = false;
};

// The legacy format: four pickles (magic number, version, system, the object), the keys of the storages, and each storage after its number
// of elements.
class LegacyFile final : public TorchFile {
 public:
  LegacyFile(std::shared_ptr<Source> from, const ReadOptions& options) : TorchFile(Format::torch_legacy, std::move(from)) {
    Cursor cursor(source->view(0, source->size()), "the file");
    cursor.skip(legacy_mark.size());
    const std::set<std::string> allowed(options.allowed.begin(), options.allowed.end());
    const auto find = [&](const StorageId& id) {
      const int64_t number = add_storage(id);
      return KnownStorage{number, storages_[size_t(number)].nbytes};
    };
    const Item* version = unpickle(cursor, pickled_, find, allowed);
    check(version->is(Item::Kind::integer) && version->integer == 1001, "Invalid protocol version: {}", version->integer);
    unpickle(cursor, pickled_, find, allowed);  // the machine that wrote the file; the data are little-endian in any case
    root_ = unpickle(cursor, pickled_, find, allowed);
    find_storage_data(*unpickle(cursor, pickled_, find, allowed), cursor);
    list_tensors();
  }

 private:
  void find_storage_data(const Item& keys, Cursor& cursor) {
    starts_.assign(storages_.size(), -1);
    std::unordered_map<std::string_view, size_t> by_key;
    for (size_t i = 0; i < storages_.size(); ++i)
      if (storages_[i].base < 0) by_key.emplace(storages_[i].id.key, i);
    for (const Item* key : keys.items) {
      const auto found = by_key.find(key->text);
      check(found != by_key.end(), ErrorKind::assertion, "storage key '{}' not found in deserialized_objects",
            escape_for_message(key->text));
      const StorageInfo& info = storages_[found->second];
      check(cursor.left() >= 8, "unexpected EOF. The file might be corrupted.");
      const auto numel = cursor.read_little_endian<int64_t>();
      check(numel == info.id.numel, "storage has wrong byte size: expected {} got {}", info.nbytes,
            int64_t(uint64_t(numel) * uint64_t(element_size(info.id.dtype))));
      check(int64_t(cursor.left()) >= info.nbytes, "unexpected EOF. The file might be corrupted.");
      starts_[found->second] = int64_t(cursor.position());
      cursor.skip(uint64_t(info.nbytes));
    }
    for (size_t i = 0; i < storages_.size(); ++i)
      check(starts_[i] >= 0 || storages_[i].base >= 0, "the file <{}> has no data of the storage '{}'", source->name(),
            escape_for_message(storages_[i].id.key));
  }

  Ref<Storage> load_storage(int64_t number, Access access) override {
    const StorageInfo& info = storages_[size_t(number)];
    return source->storage(uint64_t(starts_[size_t(number)]), uint64_t(info.nbytes), access, element_size(info.id.dtype));
  }

  std::optional<uint64_t> place_of(int64_t number) const override { return uint64_t(starts_[size_t(number)]); }

  std::vector<int64_t> starts_;
};

}  // namespace

bool looks_like_zip(const Source& source) { return source.size() >= 4 && text_of(source.view(0, 4)) == zip_mark; }
bool looks_like_legacy_torch(const Source& source) {
  return source.size() >= legacy_mark.size() && text_of(source.view(0, legacy_mark.size())) == legacy_mark;
}
Ref<Checkpoint> open_torch_zip(std::shared_ptr<Source> source, const ReadOptions& options) {
  return Ref<Checkpoint>::adopt(new ZipFile(std::move(source), options));
}
Ref<Checkpoint> open_torch_legacy(std::shared_ptr<Source> source, const ReadOptions& options) {
  return Ref<Checkpoint>::adopt(new LegacyFile(std::move(source), options));
}

}  // namespace mt::io
