// Each function opens a file, lists its contents, and reads them.
#include "parsers.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/exception.h"
#include "dispatch/operator.h"
#include "io/checkpoint.h"
#include "io/json.h"
#include "io/mds.h"
#include "io/torch_file.h"
#include "io/zip.h"
#include "io/zstd_stream.h"

namespace mt::fuzz {

namespace {

// Tensors of more bytes are not read: that takes long, and runs no other code.
constexpr int64_t most_bytes = 1 << 24;
constexpr size_t most_tensors = 64;

std::shared_ptr<io::Source> source_of(Bytes bytes) { return io::Source::over(bytes, nullptr); }

void read_all(io::Checkpoint& file) {
  for (size_t i = 0; i < std::min(file.entries.size(), most_tensors); ++i) {
    file.find(file.entries[i].name);
    if (file.entries[i].nbytes > most_bytes) continue;
    for (const io::Access access : {io::Access::map, io::Access::copy}) try {
        const Tensor tensor = file.read(i, access);
        // Checks that the last element of a view is inside its storage.
        if (!tensor.is_meta() && tensor.layout() == Layout::strided && tensor.numel() > 0) {
          int64_t last = tensor.storage_offset();
          for (int64_t d = 0; d < tensor.dim(); ++d) last += (tensor.size(d) - 1) * tensor.stride(d);
          const auto* data = static_cast<const volatile uint8_t*>(tensor->storage->data);
          (void)data[last * tensor.itemsize() + tensor.itemsize() - 1];
        }
      } catch (const Error&) {
      }
  }
}

template <auto open>
void checkpoint(Bytes bytes) {
  const Ref<io::Checkpoint> file = open(source_of(bytes));
  read_all(*file);
}
Ref<io::Checkpoint> torch_zip(std::shared_ptr<io::Source> source) { return io::open_torch_zip(std::move(source), {}); }
Ref<io::Checkpoint> torch_legacy(std::shared_ptr<io::Source> source) { return io::open_torch_legacy(std::move(source), {}); }
Ref<io::Checkpoint> any(std::shared_ptr<io::Source> source) { return io::open_checkpoint(std::move(source), {}); }

void json(Bytes bytes) { io::parse_json(io::text_of(bytes), "JSON"); }

// Every storage of the pickle is found and has the size that the pickle states; two global names are allowed.
void pickle(Bytes bytes) {
  io::Cursor cursor(bytes, "the pickle");
  io::Pickled out;
  int64_t storages = 0;
  const io::FindStorage find = [&](const io::StorageId& id) { return io::KnownStorage{storages++, id.numel * element_size(id.dtype)}; };
  io::unpickle(cursor, out, find, {"collections.deque", "__main__.Kind"});
}

void zip(Bytes bytes) {
  const io::ZipReader archive(source_of(bytes));
  for (const io::ZipReader::Record& record : archive.records()) try {
      if (record.size <= uint64_t(most_bytes)) archive.read(record);
    } catch (const Error&) {
    }
}

// Of the fuzzer's bytes, the first four are the decompressed size and the others the compressed data.
void zstd(Bytes bytes) {
  if (bytes.size() < 4) return;
  uint32_t size;
  std::memcpy(&size, bytes.data(), 4);
  io::decompress_zstd(bytes.subspan(4), size % uint32_t(most_bytes), "fuzz");
}

// A folder with an index and its shards, assembled from lines: a name, the length, and the bytes.
void mds(Bytes bytes) {
  static const std::filesystem::path folder = [] {
    std::string name = (std::filesystem::temp_directory_path() / "mindtorch-fuzz-XXXXXX").string();
    if (!mkdtemp(name.data())) std::abort();
    return std::filesystem::path(name);
  }();
  for (const char* name : {"index.json", "shard.00000.mds", "shard.00000.mds.zstd"}) std::filesystem::remove(folder / name);
  std::string_view text = io::text_of(bytes);
  for (const char* name : {"index.json", "shard.00000.mds", "shard.00000.mds.zstd"}) {
    const size_t end = text.find("\n--\n");
    const std::string_view part = text.substr(0, end);
    if (!part.empty()) std::ofstream(folder / name, std::ios::binary) << part;
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 4);
  }
  const Ref<io::Dataset> dataset = Ref<io::Dataset>::adopt(new io::Dataset(folder.string()));
  for (int64_t i = 0; i < std::min<int64_t>(dataset->size(), 16); ++i) try {
      dataset->read(i);
    } catch (const Error&) {
    }
  if (dataset->size() < 4096) io::shuffle_within_blocks(dataset->shard_starts(), 1, 3);
}

template <auto parse>
void read_or_refuse(Bytes bytes) {
  ensure_registry();
  try {
    parse(bytes);
  } catch (const Error&) {
  }
}

constexpr Parser all[] = {
    {"safetensors", read_or_refuse<checkpoint<io::open_safetensors>>},
    {"torch", read_or_refuse<checkpoint<torch_zip>>},
    {"legacy",
     [](Bytes bytes) {
       if (io::looks_like_legacy_torch(*source_of(bytes))) read_or_refuse<checkpoint<torch_legacy>>(bytes);
     }},
    {"npy", read_or_refuse<checkpoint<io::open_npy>>},
    {"npz", read_or_refuse<checkpoint<io::open_npz>>},
    {"gguf", read_or_refuse<checkpoint<io::open_gguf>>},
    {"compressed", read_or_refuse<checkpoint<io::open_compressed>>},
    {"any", read_or_refuse<checkpoint<any>>},
    {"pickle", read_or_refuse<pickle>},
    {"zip", read_or_refuse<zip>},
    {"json", read_or_refuse<json>},
    {"zstd", read_or_refuse<zstd>},
    {"mds", read_or_refuse<mds>},
};

}  // namespace

std::span<const Parser> parsers() { return all; }

}  // namespace mt::fuzz
