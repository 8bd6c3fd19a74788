#include "io/read_ahead.h"

#include <utility>

namespace mt::io {

void ReadAhead::read(const Source& source, std::span<const Wanted> wanted) {
  std::vector<Ref<Storage>> storages;
  std::vector<Source::Part> parts;
  for (const Wanted& one : wanted) {
    source.view(one.offset, one.count);  // checks the range before memory is taken
    if (storages.size() <= one.number) storages.resize(one.number + 1);
    storages[one.number] = make_storage(int64_t(one.count), Device{});
    parts.push_back({one.offset, one.count, storages[one.number]->data});
  }
  source.read(parts);
  const std::lock_guard lock(mutex_);
  storages_ = std::move(storages);
}

Ref<Storage> ReadAhead::take(size_t number) {
  const std::lock_guard lock(mutex_);
  return number < storages_.size() ? std::exchange(storages_[number], {}) : Ref<Storage>();
}

}  // namespace mt::io
