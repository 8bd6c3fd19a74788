// Tangents and levels: which tensor has a tangent, and for how long.
#include <algorithm>
#include <memory>
#include <mutex>

#include "autograd/forward.h"
#include "autograd/meta.h"
#include "core/exception.h"
#include "dispatch/invoke.h"

namespace mt {
namespace {

// The tensors that were given a tangent at a level: leaving the level removes those tangents.
struct Level {
  std::vector<std::weak_ptr<Tangents>> holders;
};
struct Levels {
  std::mutex mutex;
  std::vector<Level> open;
};
Levels& levels_of_thread() {
  static Levels* l = new Levels();  // never destroyed: threads may run during exit
  return *l;
}

const std::shared_ptr<Tangents>& ensure_tangents(const Tensor& t) {
  AutogradMeta& meta = ensure_meta(t);
  std::lock_guard guard(meta.lock);
  if (!meta.tangents) meta.tangents = std::make_shared<Tangents>();
  return meta.tangents;
}

Tensor remove_level(Tangents& tangents, int64_t level) {
  std::lock_guard guard(tangents.lock);
  for (auto& [at, tangent] : tangents.by_level)
    if (at == level) return std::move(tangent);
  return Tensor();
}

// A tangent gets the strides of its tensor, so that a view of the tensor has a matching view of the tangent.
Tensor match_strides(const Tensor& t, Tensor tangent) {
  if (tangent.strides() == t.strides() || !t.is_non_overlapping_and_dense()) return tangent;
  Tensor fresh = op<"new_empty_strided">(tangent, t.sizes(), t.strides());
  return op<"copy_">(fresh, tangent);
}

}  // namespace

thread_local constinit int64_t hidden_from_level = INT64_MAX;

int64_t enter_dual_level() {
  std::lock_guard guard(levels_of_thread().mutex);
  levels_of_thread().open.emplace_back();
  return int64_t(levels_of_thread().open.size()) - 1;
}

void exit_dual_level(int64_t level) {
  std::vector<std::shared_ptr<Tangents>> holders;
  {
    std::lock_guard guard(levels_of_thread().mutex);
    check(level >= 0 && level + 1 == int64_t(levels_of_thread().open.size()),
          "Exiting a forward AD level that is not the last that was created is not support. Ensure they are released "
          "in the reverse order they were created.");
    for (const auto& weak : levels_of_thread().open.back().holders)
      if (auto holder = weak.lock()) holders.push_back(std::move(holder));
    levels_of_thread().open.pop_back();
  }
  for (const auto& holder : holders) {
    Tensor removed = remove_level(*holder, level);  // destroyed after the lock is released
    std::lock_guard guard(holder->lock);
    auto& list = holder->by_level;
    list.erase(std::remove_if(list.begin(), list.end(), [&](auto& entry) { return entry.first >= level; }), list.end());
  }
}

Tensor tangent_of(const Tensor& t, int64_t level) {
  const AutogradMeta* meta = t.defined() ? meta_of(t) : nullptr;
  if (!meta || !meta->tangents) return Tensor();
  std::lock_guard guard(meta->tangents->lock);
  for (const auto& [at, tangent] : meta->tangents->by_level)
    if (at == level) return tangent;
  return Tensor();
}

bool has_tangent(const Tensor& t) {
  const AutogradMeta* meta = t.defined() ? meta_of(t) : nullptr;
  if (!meta || !meta->tangents) return false;
  std::lock_guard guard(meta->tangents->lock);
  return !meta->tangents->by_level.empty() && meta->tangents->by_level.front().first < hidden_from_level;
}

bool needs_derivative(const Tensor& t) { return (thread_state.grad_mode && requires_grad(t)) || has_tangent(t); }

void set_tangent(const Tensor& t, int64_t level, Tensor tangent) {
  tangent = match_strides(t, std::move(tangent));
  const std::shared_ptr<Tangents> holder = ensure_tangents(t);
  t->keys |= key_bit(Key::transforms);
  {
    std::lock_guard guard(levels_of_thread().mutex);
    if (level >= int64_t(levels_of_thread().open.size())) return;  // the level was left meanwhile
    levels_of_thread().open[size_t(level)].holders.push_back(holder);
  }
  std::lock_guard guard(holder->lock);
  auto& list = holder->by_level;
  auto at = list.begin();
  while (at != list.end() && at->first < level) ++at;
  if (at != list.end() && at->first == level)
    std::swap(at->second, tangent);
  else
    list.emplace(at, level, std::move(tangent));
}

void share_tangents(const Tensor& t, const Tensor& copy) {
  std::shared_ptr<Tangents> holder = ensure_tangents(t);
  ensure_meta(copy).tangents = std::move(holder);
  copy->keys |= key_bit(Key::transforms);
}

}  // namespace mt
