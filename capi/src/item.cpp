// The contents of a file's pickle, item by item.
#include "core/messages.h"
#include "io/torch_file.h"
#include "io_handles.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

namespace {

const io::Item& item_of(const mt_item* item) {
  require_not_null(item, "item");
  return *reinterpret_cast<const io::Item*>(item);
}

io::TorchFile& torch_file_of(const Opened& opened) {
  check(opened.file->root() != nullptr, "the file has no pickle");
  return static_cast<io::TorchFile&>(*opened.file);
}

}  // namespace

mt_status* mt_checkpoint_root_borrow(const mt_checkpoint* checkpoint, const mt_item** out) {
  return guard([&] {
    const Opened& opened = opened_of(checkpoint);
    require_not_null(out, "out");
    *out = reinterpret_cast<const mt_item*>(opened.file->root());
  });
}

mt_status* mt_item_get_info(const mt_item* item, mt_item_info* out) {
  return guard([&] {
    const io::Item& seen = item_of(item);
    mt_item_info info{};
    info.kind = int32_t(seen.kind);
    info.requires_grad = seen.requires_grad;
    info.dtype = int32_t(seen.dtype);
    info.integer = seen.integer;
    info.real[0] = seen.real[0];
    info.real[1] = seen.real[1];
    info.text = seen.text.c_str();
    info.text_size = int64_t(seen.text.size());
    info.items = reinterpret_cast<const mt_item* const*>(seen.items.data());
    info.n_items = int64_t(seen.items.size());
    info.attributes = reinterpret_cast<const mt_item*>(seen.attributes);
    write_struct(out, "out", info);
  });
}

mt_status* mt_checkpoint_read_item(mt_checkpoint* checkpoint, const mt_item* item, mt_tensor** out) {
  return guard([&] {
    const Opened& opened = opened_of(checkpoint);
    const io::Item& seen = item_of(item);
    require_not_null(out, "out");
    check(seen.is(io::Item::Kind::tensor) || seen.is(io::Item::Kind::parameter), ErrorKind::type, "the item is not a tensor");
    io::TorchFile& file = torch_file_of(opened);
    check(size_t(seen.integer) < file.tensors().size(), ErrorKind::index, messages::item_of_another_checkpoint);
    *out = return_handle(file.tensor_of(seen.integer, opened.access));
  });
}

mt_status* mt_checkpoint_read_storage(mt_checkpoint* checkpoint, const mt_item* item, mt_storage** out) {
  return guard([&] {
    const Opened& opened = opened_of(checkpoint);
    const io::Item& seen = item_of(item);
    require_not_null(out, "out");
    check(seen.is(io::Item::Kind::storage), ErrorKind::type, "the item is not a storage");
    io::TorchFile& file = torch_file_of(opened);
    check(size_t(seen.integer) < file.storages().size(), ErrorKind::index, messages::item_of_another_checkpoint);
    *out = return_handle(file.storage_of(seen.integer, opened.access));
  });
}
