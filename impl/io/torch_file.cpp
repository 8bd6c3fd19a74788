// The tensors in a pickled object: their names and storages, and how to make them.
#include "io/torch_file.h"

#include <algorithm>
#include <unordered_set>

#include "core/exception.h"
#include "core/sparse.h"
#include "dispatch/invoke.h"

namespace mt::io {

namespace {

using Kind = Item::Kind;

// The depth from which nested objects are not searched for tensors.
constexpr size_t deepest = 1000;

std::string key_text(const Item& key) {
  switch (key.kind) {
    case Kind::string: return key.text;
    case Kind::bytes: return key.text;
    case Kind::integer: return std::to_string(key.integer);
    case Kind::boolean: return key.integer ? "True" : "False";
    case Kind::none: return "None";
    case Kind::real: return text("{}", key.real[0]);
    default: return "?";
  }
}

}  // namespace

int64_t TorchFile::add_storage(const StorageId& id) {
  std::string key = id.key;
  if (id.is_view) {
    StorageId whole = id;
    whole.is_view = false;
    const int64_t base = add_storage(whole);
    key += '/' + std::to_string(id.view_offset) + '/' + std::to_string(id.view_numel);
    const auto [found, is_new] = numbers_.try_emplace(key, int64_t(storages_.size()));
    if (is_new) storages_.push_back({id, id.view_numel * element_size(id.dtype), base});
    return found->second;
  }
  const auto [found, is_new] = numbers_.try_emplace(key, int64_t(storages_.size()));
  if (is_new) storages_.push_back({id, id.numel * element_size(id.dtype)});
  return found->second;
}

void TorchFile::list_tensors() {
  struct Visit {
    const Item* item;
    std::string path;
    size_t depth;
  };
  std::vector<Visit> pending{{root_, "", 0}};
  std::unordered_set<const Item*> seen;  // containers may contain themselves
  users_.assign(storages_.size(), 0);
  for (const TensorRecord& record : pickled_.tensors)
    if (record.storage >= 0) ++users_[size_t(record.storage)];
  for (size_t i = 0; i < storages_.size(); ++i)
    if (storages_[i].base >= 0) users_[size_t(storages_[i].base)] += 2;
  kept_.resize(storages_.size());
  while (!pending.empty()) {
    const Visit visit = std::move(pending.back());
    pending.pop_back();
    const Item& item = *visit.item;
    if (item.is(Kind::tensor) || item.is(Kind::parameter)) {
      const TensorRecord& record = pickled_.tensors[size_t(item.integer)];
      Entry entry;
      entry.name = visit.path;
      entry.dtype = record.dtype;
      entry.sizes = record.sizes;
      entry.nbytes = record.layout == Layout::strided ? bytes_needed(record.sizes, record.dtype).value_or(0) : 0;
      entries.push_back(std::move(entry));
      records_of_entries_.push_back(item.integer);
      continue;
    }
    if (visit.depth > deepest || !seen.insert(&item).second) continue;
    const std::string prefix = visit.path.empty() ? "" : visit.path + '.';
    const auto push = [&](const Item* inside, const std::string& name) {
      // Skips numbers and strings, which contain no tensors and of which there may be millions.
      if (!inside->items.empty() || inside->attributes || inside->is(Kind::tensor) || inside->is(Kind::parameter))
        pending.push_back({inside, name, visit.depth + 1});
    };
    const size_t before = pending.size();
    const size_t longest_name = 4096;
    if (visit.path.size() > longest_name) continue;
    switch (item.kind) {
      case Kind::dict:
      case Kind::ordered_dict:
      case Kind::counter:
        for (size_t i = 0; i + 1 < item.items.size(); i += 2) push(item.items[i + 1], prefix + key_text(*item.items[i]));
        break;
      case Kind::object:
        if (item.attributes) push(item.attributes, prefix + "__state__");
        for (size_t i = 1; i < item.items.size(); ++i) push(item.items[i], visit.path);
        break;
      case Kind::list:
      case Kind::tuple:
      case Kind::set:
        for (size_t i = 0; i < item.items.size(); ++i) push(item.items[i], prefix + std::to_string(i));
        break;
      default: break;
    }
    std::reverse(pending.begin() + int64_t(before), pending.end());  // visits the first item first
  }
  index_names();
}

Ref<Storage> TorchFile::storage_of(int64_t number, Access access) {
  const StorageInfo& info = storages_[size_t(number)];
  if (info.base >= 0) {
    Ref<Storage> whole = storage_of(info.base, access);
    auto* data = static_cast<uint8_t*>(whole->data) + info.id.view_offset * element_size(info.id.dtype);
    check(info.id.view_offset * element_size(info.id.dtype) + info.nbytes <= whole->nbytes,
          "a view of a storage is larger than the storage");
    Storage* owner = whole.detach();
    return make_storage(data, info.nbytes, Device{}, [](void* context) { Ref<Storage>::adopt(static_cast<Storage*>(context)); }, owner);
  }
  if (users_[size_t(number)] < 2) return load(number, access);
  const std::lock_guard lock(mutex_);
  Ref<Storage>& kept = kept_[size_t(number)];
  if (!kept) kept = load(number, access);
  return kept;
}

Ref<Storage> TorchFile::load(int64_t number, Access access) {
  Ref<Storage> ahead = access == Access::copy ? ahead_.take(size_t(number)) : Ref<Storage>();
  return ahead ? ahead : load_storage(number, access);
}

void TorchFile::read_ahead() {
  std::vector<ReadAhead::Wanted> wanted;
  for (size_t i = 0; i < storages_.size(); ++i) {
    if (users_[i] == 0 || storages_[i].base >= 0) continue;
    if (const auto place = place_of(int64_t(i))) wanted.push_back({i, *place, uint64_t(storages_[i].nbytes)});
  }
  ahead_.read(*source, wanted);
}

Tensor TorchFile::tensor_of(int64_t number, Access access) {
  const TensorRecord& record = pickled_.tensors[size_t(number)];
  if (record.layout != Layout::strided) return sparse_of(record, access);
  if (record.storage < 0) return empty_strided(record.sizes, record.strides, record.dtype, Device{DeviceType::meta});
  Ref<Storage> storage = storage_of(record.storage, access);
  Tensor tensor = make_tensor(std::move(storage), record.dtype, record.sizes, record.strides, record.offset);
  tensor->conj = record.conj;
  tensor->neg = record.neg;
  if (record.conj) tensor->keys |= key_bit(Key::conjugate);
  if (record.neg) tensor->keys |= key_bit(Key::negative);
  return tensor;
}

Tensor TorchFile::sparse_of(const TensorRecord& record, Access access) {
  Tensor parts[3];
  for (int i = 0; i < 3; ++i)
    if (record.parts[i] >= 0) parts[i] = tensor_of(record.parts[i], access);
  // Validates the components, since a file may contain any indices.
  if (record.layout == Layout::sparse_coo) {
    op<"_validate_sparse_coo_tensor_args", void>(parts[0], parts[1], IntList(record.sizes), record.is_coalesced);
    return op<"_sparse_coo_tensor_unsafe">(parts[0], parts[1], IntList(record.sizes), std::nullopt, std::nullopt, std::nullopt,
                                           std::nullopt, record.is_coalesced);
  }
  op<"_validate_sparse_compressed_tensor_args", void>(parts[0], parts[1], parts[2], IntList(record.sizes), record.layout);
  return op<"_sparse_compressed_tensor_unsafe">(parts[0], parts[1], parts[2], IntList(record.sizes), std::nullopt, record.layout);
}

}  // namespace mt::io
