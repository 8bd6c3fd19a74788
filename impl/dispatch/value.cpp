// Owned boxed values: clearing, copying, lists.
#include "dispatch/value.h"

#include <cstdlib>
#include <new>

#include "core/generator.h"

namespace mt {
namespace {

void* copy_bytes(const void* data, size_t bytes) {
  void* copy = std::malloc(bytes ? bytes : 1);
  if (!copy) throw std::bad_alloc();
  if (bytes) std::memcpy(copy, data, bytes);
  return copy;
}
bool holds_tensors(int32_t tag) { return tag == MT_TAG_TENSORS || tag == MT_TAG_OPTIONAL_TENSORS; }
bool holds_values(int32_t tag) { return tag == MT_TAG_SCALARS || tag == MT_TAG_STRINGS; }

}  // namespace

double double_of(const Value& number) { return Scalar::of_value(number).to_double(); }

void clear(Value& v) noexcept {
  if (v.flags & MT_FLAG_OWNED) {
    switch (v.tag) {
      case MT_TAG_TENSOR: Tensor::adopt(reinterpret_cast<TensorImpl*>(v.as.tensor)); break;
      case MT_TAG_GENERATOR: Ref<Generator>::adopt(reinterpret_cast<Generator*>(v.as.generator)); break;
      case MT_TAG_STORAGE: Ref<Storage>::adopt(reinterpret_cast<Storage*>(v.as.storage)); break;
      case MT_TAG_STRING: std::free(const_cast<char*>(v.as.string.data)); break;
      case MT_TAG_TENSORS:
      case MT_TAG_OPTIONAL_TENSORS: {
        auto* items = static_cast<TensorImpl* const*>(v.as.list.data);
        for (int64_t i = 0; i < v.as.list.size; ++i) Tensor::adopt(items[i]);
        std::free(const_cast<void*>(v.as.list.data));
        break;
      }
      case MT_TAG_SCALARS:
      case MT_TAG_STRINGS: {
        auto* items = static_cast<Value*>(const_cast<void*>(v.as.list.data));
        for (int64_t i = 0; i < v.as.list.size; ++i) clear(items[i]);
        std::free(items);
        break;
      }
      case MT_TAG_INTS:
      case MT_TAG_DOUBLES:
      case MT_TAG_BOOLS: std::free(const_cast<void*>(v.as.list.data)); break;
      default: break;
    }
  }
  set_none(v);
}

Value own(const Value& borrowed) {
  Value v = borrowed;
  v.flags |= MT_FLAG_OWNED;
  switch (v.tag) {
    case MT_TAG_TENSOR: reinterpret_cast<TensorImpl*>(v.as.tensor)->retain(); break;
    case MT_TAG_GENERATOR: reinterpret_cast<Generator*>(v.as.generator)->retain(); break;
    case MT_TAG_STORAGE: reinterpret_cast<Storage*>(v.as.storage)->retain(); break;
    case MT_TAG_STRING: v.as.string.data = static_cast<char*>(copy_bytes(v.as.string.data, size_t(v.as.string.size))); break;
    case MT_TAG_INTS:
    case MT_TAG_DOUBLES: v.as.list.data = copy_bytes(v.as.list.data, size_t(v.as.list.size) * 8); break;
    case MT_TAG_BOOLS: v.as.list.data = copy_bytes(v.as.list.data, size_t(v.as.list.size)); break;
    default:
      if (holds_tensors(v.tag)) {
        v.as.list.data = copy_bytes(v.as.list.data, size_t(v.as.list.size) * sizeof(void*));
        auto* items = static_cast<TensorImpl* const*>(v.as.list.data);
        for (int64_t i = 0; i < v.as.list.size; ++i)
          if (items[i]) items[i]->retain();
      } else if (holds_values(v.tag)) {
        v.as.list.data = copy_bytes(v.as.list.data, size_t(v.as.list.size) * sizeof(Value));
        auto* items = static_cast<Value*>(const_cast<void*>(v.as.list.data));
        for (int64_t i = 0; i < v.as.list.size; ++i) items[i] = own(items[i]);
      } else {
        v.flags &= ~MT_FLAG_OWNED;
      }
  }
  return v;
}

void put_list(Value& slot, Tensor* tensors, int64_t count) {
  auto* items = static_cast<TensorImpl**>(std::malloc(size_t(count ? count : 1) * sizeof(TensorImpl*)));
  if (!items) throw std::bad_alloc();
  for (int64_t i = 0; i < count; ++i) items[i] = tensors[i].detach();
  slot = list_value(MT_TAG_TENSORS, items, count);
  slot.flags = MT_FLAG_OWNED;
}

void put(Value& slot, IntList v) { slot = own(box(v)); }

}  // namespace mt
