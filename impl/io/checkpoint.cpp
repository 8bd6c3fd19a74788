// Detects a file's format, and the code that all formats share.
#include "io/checkpoint.h"

#include "io/torch_file.h"
#include "io/zip.h"

namespace mt::io {

const char* name_of(Format format) {
  switch (format) {
    case Format::safetensors: return "safetensors";
    case Format::torch: return "torch";
    case Format::torch_legacy: return "torch_legacy";
    case Format::npy: return "npy";
    case Format::npz: return "npz";
    case Format::gguf: return "gguf";
    case Format::compressed: return "compressed";
  }
  return nullptr;
}

int64_t Checkpoint::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? -1 : int64_t(found->second);
}

void Checkpoint::index_names() {
  index_.reserve(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) index_.emplace(entries[i].name, i);
}

Tensor tensor_at(const Source& source, uint64_t offset, const Entry& entry, Access access) {
  Ref<Storage> storage = source.storage(offset, uint64_t(entry.nbytes), access, element_size(entry.dtype));
  return make_tensor(std::move(storage), entry.dtype, entry.sizes, contiguous_strides(entry.sizes), 0);
}

Ref<Checkpoint> open_checkpoint(std::shared_ptr<Source> source, const ReadOptions& options) {
  check(source->size() > 0, "the file <{}> is empty", source->name());
  if (looks_like_safetensors(*source)) return open_safetensors(std::move(source));
  if (looks_like_zip(*source)) return looks_like_npz(*source) ? open_npz(std::move(source)) : open_torch_zip(std::move(source), options);
  if (looks_like_legacy_torch(*source)) return open_torch_legacy(std::move(source), options);
  if (looks_like_npy(*source)) return open_npy(std::move(source));
  if (looks_like_gguf(*source)) return open_gguf(std::move(source));
  if (looks_like_compressed(*source)) return open_compressed(std::move(source));
  fail("the file <{}> has no format that is known here; it begins with \"{}\"", source->name(),
       escape_for_message(text_of(source->view(0, std::min<uint64_t>(source->size(), 8)))));
}

}  // namespace mt::io
