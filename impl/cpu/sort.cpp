// Maps elements to unsigned codes in the requested order, paired with their indices; sorts short rows by comparison and long ones by
// radix.
#include "cpu/sort.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/allocator.h"
#include "core/half.h"
#include "cpu/clones.h"
#include "cpu/threads/parallel.h"

namespace mt::cpu {
namespace {

template <class T>
struct CodeOf {
  using type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
};
template <class T>
using Code = typename CodeOf<T>::type;

// Maps elements to codes that ascend in torch's order.
template <class T>
MT_INLINE Code<T> encode_value(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? 1 : 0;
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<Code<T>>(static_cast<std::make_signed_t<Code<T>>>(value)) ^ (Code<T>(1) << (8 * sizeof(Code<T>) - 1));
    } else {
      return static_cast<Code<T>>(value);
    }
  } else {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const Wide wide = static_cast<Wide>(value);
    if (wide != wide) return std::numeric_limits<Code<T>>::max();
    if (wide == 0) return Code<T>(1) << (8 * sizeof(Wide) - 1);
    const Code<T> bits = std::bit_cast<Code<T>>(wide);
    constexpr Code<T> sign = Code<T>(1) << (8 * sizeof(Wide) - 1);
    return (bits & sign) != 0 ? ~bits : bits | sign;
  }
}

// A code of at most 32 bits and an index share one word, which makes words distinct and any sort stable.
struct Packed {
  uint64_t word;
  uint32_t code() const { return static_cast<uint32_t>(word >> 32); }
  int64_t index() const { return static_cast<int64_t>(word & 0xffffffffu); }
  static Packed make(uint32_t code, int64_t index) { return {static_cast<uint64_t>(code) << 32 | static_cast<uint64_t>(index)}; }
  friend bool operator<(Packed a, Packed b) { return a.word < b.word; }
};
struct Pair {
  uint64_t key;
  int64_t place;
  uint64_t code() const { return key; }
  int64_t index() const { return place; }
  static Pair make(uint64_t code, int64_t index) { return {code, index}; }
  friend bool operator<(Pair a, Pair b) { return a.key < b.key || (a.key == b.key && a.place < b.place); }
};

template <class Item>
struct Scratch {
  size_t bytes;
  Item* items;
  explicit Scratch(int64_t count) : bytes(static_cast<size_t>(count) * sizeof(Item)), items(static_cast<Item*>(allocate(bytes))) {}
  ~Scratch() { deallocate(items, bytes); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

// Sorts by the least significant digit first; skips passes in which all digits are equal.
template <int digit_bits, class Item>
Item* radix_sort_by(Item* from, Item* to, int64_t n) {
  using Key = decltype(from->code());
  constexpr int passes = (8 * static_cast<int>(sizeof(Key)) + digit_bits - 1) / digit_bits;
  constexpr int buckets = 1 << digit_bits;
  Scratch<int64_t> storage(passes * buckets);
  int64_t* counts = storage.items;
  std::memset(counts, 0, storage.bytes);
  for (int64_t i = 0; i < n; ++i) {
    const Key key = from[i].code();
    for (int pass = 0; pass < passes; ++pass) ++counts[pass * buckets + ((key >> (pass * digit_bits)) & (buckets - 1))];
  }
  for (int pass = 0; pass < passes; ++pass) {
    int64_t* count = counts + pass * buckets;
    const int shift = pass * digit_bits;
    if (count[(from[0].code() >> shift) & (buckets - 1)] == n) continue;
    int64_t place = 0;
    for (int b = 0; b < buckets; ++b) {
      const int64_t here = count[b];
      count[b] = place;
      place += here;
    }
    for (int64_t i = 0; i < n; ++i) to[count[(from[i].code() >> shift) & (buckets - 1)]++] = from[i];
    std::swap(from, to);
  }
  return from;
}

// Uses digits of 8 bits for short rows, where clearing the counts of 11-bit digits costs more than an additional pass.
template <class Item>
Item* radix_sort(Item* from, Item* to, int64_t n) {
  return n < 16384 ? radix_sort_by<8>(from, to, n) : radix_sort_by<11>(from, to, n);
}

constexpr int64_t radix_from = 128;
constexpr int64_t split_from = 65536;  // longer rows are sorted in parts, then merged

template <class Item>
Item* sort_items(Item* items, Item* spare, int64_t n) {
  if (std::is_sorted(items, items + n)) return items;  // fails at once on unsorted rows
  if (n < radix_from) {
    std::sort(items, items + n);
    return items;
  }
  if (n < split_from || in_parallel_region()) return radix_sort(items, spare, n);
  // Sorts eight parts in parallel and merges them. The order is total, so the result does not depend on the number of parts.
  constexpr int64_t parts = 8;
  auto edge = [n](int64_t part) { return n * part / parts; };
  parallel_for(0, parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t first = edge(part);
      const int64_t count = edge(part + 1) - first;
      Item* sorted = radix_sort(items + first, spare + first, count);
      if (sorted != items + first) std::memcpy(items + first, sorted, static_cast<size_t>(count) * sizeof(Item));
    }
  });
  for (int64_t width = 1; width < parts; width *= 2) {
    parallel_for(0, parts / (2 * width), 1, [&](int64_t begin, int64_t end) {
      for (int64_t pair = begin; pair < end; ++pair) {
        const int64_t low = edge(2 * width * pair);
        const int64_t middle = edge(2 * width * pair + width);
        const int64_t high = edge(2 * width * (pair + 1));
        std::merge(items + low, items + middle, items + middle, items + high, spare + low);
      }
    });
    std::swap(items, spare);
  }
  return items;
}

template <class T, class Item>
void encode_row(const T* row, int64_t stride, int64_t n, bool descending, Item* items) {
  const Code<T> flip = descending ? ~Code<T>(0) : Code<T>(0);
  for (int64_t i = 0; i < n; ++i) items[i] = Item::make(encode_value(row[i * stride]) ^ flip, i);
}

// How rows of a dtype are loaded. Code that runs after loading is compiled once per element size, and moves values as words of that size.
template <class Item>
using Load = void (*)(const void* row, int64_t stride, int64_t n, bool descending, Item* items);
template <class T, class Item>
void encode_untyped_row(const void* row, int64_t stride, int64_t n, bool descending, Item* items) {
  encode_row(static_cast<const T*>(row), stride, n, descending, items);
}
template <class T>
using Word = std::conditional_t<sizeof(T) == 8, uint64_t,
                                std::conditional_t<sizeof(T) == 4, uint32_t, std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;
template <class T>
Rows<const Word<T>> view_as_words(Rows<const T> rows) {
  return {reinterpret_cast<const Word<T>*>(rows.data), rows.row_stride, rows.stride};
}
template <class T>
Rows<Word<T>> view_as_words(Rows<T> rows) {
  return {reinterpret_cast<Word<T>*>(rows.data), rows.row_stride, rows.stride};
}

template <class T, class Item>
void store_sorted_row(const Item* items, int64_t count, const T* row, int64_t stride, int64_t r, Rows<T> values, Rows<int64_t> indices) {
  if (values.data != nullptr) {
    T* out = values.data + r * values.row_stride;
    for (int64_t i = 0; i < count; ++i) out[i * values.stride] = row[items[i].index() * stride];
  }
  if (indices.data != nullptr) {
    int64_t* out = indices.data + r * indices.row_stride;
    for (int64_t i = 0; i < count; ++i) out[i * indices.stride] = items[i].index();
  }
}

// Runs body(items, spare, row number, row) on every row; rows run on the pool, or one long row uses the pool inside.
template <class T, class Item, class F>
void for_rows(int64_t rows, int64_t n, Rows<const T> in, F&& body) {
  auto some = [&](int64_t begin, int64_t end) {
    Scratch<Item> items(2 * n);
    for (int64_t r = begin; r < end; ++r) body(items.items, items.items + n, r, in.data + r * in.row_stride);
  };
  if (rows == 1) {
    some(0, 1);
  } else {
    parallel_for(0, rows, std::max<int64_t>(1, 8192 / std::max<int64_t>(n, 1)), some);
  }
}

// Sorts many short rows at a time: element i of row r is word i * tile_rows + r of a tile, and all rows compare and exchange together.
constexpr int64_t tile_width = 16, tile_rows = 128;
constexpr bool should_sort_in_tiles(int64_t rows, int64_t n) { return n <= tile_width && rows >= tile_rows / 4; }
struct SortColumns {
  MT_INLINE static void run(uint64_t* words, int64_t n) {
    for (int64_t last = 1; last < n; ++last)
      for (int64_t i = last; i > 0; --i) {
        uint64_t *const low = words + (i - 1) * tile_rows, *const high = low + tile_rows;
        for (int64_t r = 0; r < tile_rows; ++r) {
          const uint64_t a = low[r], b = high[r];
          low[r] = a < b ? a : b, high[r] = a < b ? b : a;
        }
      }
  }
};
// Values may overwrite the input, so a row is copied before it is
// sorted.
template <class W, class Item>
void sort_items_with(int64_t rows, int64_t n, Rows<const W> in, bool descending, Rows<W> values, Rows<int64_t> indices, Load<Item> load) {
  for_rows<W, Item>(rows, n, in, [&](Item* items, Item* spare, int64_t r, const W* row) {
    load(row, in.stride, n, descending, items);
    Item* sorted = sort_items(items, spare, n);
    if (values.data == nullptr || values.data + r * values.row_stride != row) {
      store_sorted_row(sorted, n, row, in.stride, r, values, indices);
      return;
    }
    Scratch<W> copy(n);
    for (int64_t i = 0; i < n; ++i) copy.items[i] = row[i * in.stride];
    store_sorted_row(sorted, n, copy.items, 1, r, values, indices);
  });
}

constexpr int64_t scan_block = 32;

// Counts the blocks from `row` on, up to the first one with an element whose code is at most `bound`.
template <class T>
struct SkipBlocks {
  static MT_INLINE void run(const T* row, int64_t blocks, Code<T> flip, Code<T> bound, int64_t* skipped) {
    int64_t b = 0;
    for (; b < blocks; ++b, row += scan_block) {
      uint32_t found = 0;
      for (int64_t j = 0; j < scan_block; ++j) found |= static_cast<Code<T>>(encode_value(row[j]) ^ flip) <= bound;
      if (found) break;
    }
    *skipped = b;
  }
};

// Sets a bit for each element of a block whose code is at most `bound`.
template <class T>
struct MarkBlock {
  static MT_INLINE void run(const T* row, Code<T> flip, Code<T> bound, uint32_t* marks) {
    uint32_t found = 0;
    for (uint32_t j = 0; j < scan_block; ++j) found |= static_cast<Code<T>>(encode_value(row[j]) ^ flip) <= bound ? 1u << j : 0u;
    *marks = found;
  }
};

template <class T>
struct CountCode {
  static MT_INLINE void run(const T* row, int64_t n, Code<T> code, int64_t* occurrences) {
    int64_t count = 0;
    for (int64_t i = 0; i < n;) {
      const int64_t end = std::min(n, i + 65536);
      uint32_t here = 0;
      for (; i < end; ++i) here += encode_value(row[i]) == code;
      count += here;
    }
    *occurrences = count;
  }
};

// Reads a row's codes through function pointers, so that a selection that reads few codes is compiled once per code width, not per dtype.
template <class C>
struct CodedElements {
  const void* row;
  int64_t stride;
  C flip;
  C (*code)(const CodedElements&, int64_t i);
  // From element i on, in contiguous memory: skip counts the blocks, of `blocks`, before the first one with a code of at most `bound`; mark
  // returns a bit for each such element of one block.
  int64_t (*skip)(const CodedElements&, int64_t i, int64_t blocks, C bound);
  uint32_t (*mark)(const CodedElements&, int64_t i, C bound);
};
template <class T>
CodedElements<Code<T>> load_coded_elements(const void* row, int64_t stride, bool largest) {
  using Elements = CodedElements<Code<T>>;
  auto code = [](const Elements& e, int64_t i) -> Code<T> { return encode_value(static_cast<const T*>(e.row)[i * e.stride]) ^ e.flip; };
  auto skip = [](const Elements& e, int64_t i, int64_t blocks, Code<T> bound) {
    int64_t skipped;
    detail::choose_clone<SkipBlocks<T>>(SkipBlocks<T>::run)(static_cast<const T*>(e.row) + i, blocks, e.flip, bound, &skipped);
    return skipped;
  };
  auto mark = [](const Elements& e, int64_t i, Code<T> bound) {
    uint32_t marks;
    detail::choose_clone<MarkBlock<T>>(MarkBlock<T>::run)(static_cast<const T*>(e.row) + i, e.flip, bound, &marks);
    return marks;
  };
  return {row, stride, largest ? ~Code<T>(0) : Code<T>(0), code, skip, mark};
}

template <class T>
int64_t count_equal(const T* row, int64_t stride, int64_t n, T value) {
  const auto code = encode_value(value);
  int64_t count = 0;
  if (stride == 1) {
    detail::choose_clone<CountCode<T>>(CountCode<T>::run)(row, n, code, &count);
    return count;
  }
  for (int64_t i = 0; i < n; ++i) count += encode_value(row[i * stride]) == code;
  return count;
}

// The standard library's selection, applied to values and indices, decides which of equal elements are returned and in which order: that
// is torch's answer for ties. Codes compare as the values do.
template <class Item>
struct ByCode {
  bool operator()(const Item& a, const Item& b) const { return a.code() < b.code(); }
};
template <class Item>
[[gnu::noinline]] void select_by_partition(Item* items, int64_t n, int64_t k) {
  std::nth_element(items, items + k - 1, items + n, ByCode<Item>());
  std::sort(items, items + k - 1, ByCode<Item>());
}

// For small k in a long row torch uses a partial sort: a heap of the first k elements, whose top is replaced by each later element that
// precedes it, sorted at the end. Elements that come after the top are skipped in blocks.
constexpr bool uses_heap(int64_t n, int64_t k) { return k * 64 <= n; }
template <class C, class Item>
[[gnu::noinline]] void select_by_heap(const CodedElements<C>& row, int64_t n, int64_t k, Item* heap) {
  const ByCode<Item> comes_first;
  for (int64_t i = 0; i < k; ++i) heap[i] = Item::make(row.code(row, i), i);
  std::make_heap(heap, heap + k, comes_first);
  auto scan = [&](int64_t i) {
    heap[k] = Item::make(row.code(row, i), i);
    if (comes_first(heap[k], heap[0])) std::pop_heap(heap, heap + k + 1, comes_first);
  };
  int64_t i = k;
  while (row.stride == 1 && n - i >= scan_block && heap[0].code() != 0) {
    const C bound = static_cast<C>(heap[0].code()) - 1;
    i += row.skip(row, i, (n - i) / scan_block, bound) * scan_block;
    if (n - i < scan_block) break;
    for (uint32_t marks = row.mark(row, i, bound); marks != 0; marks &= marks - 1) scan(i + std::countr_zero(marks));
    i += scan_block;
  }
  for (; i < n; ++i) scan(i);
  std::sort_heap(heap, heap + k, comes_first);
}

// Selects in place by Hoare's partition around the median of three (Press et al., Numerical Recipes, 8.5); its exchanges decide which of
// equal elements ends up at k.
template <class Item>
Item select_kth_by_hoare_partition(Item* entries, int64_t n, int64_t k) {
  auto above = [&](int64_t a, int64_t b) { return entries[a].code() > entries[b].code(); };
  auto order = [&](int64_t a, int64_t b) {
    if (above(a, b)) std::swap(entries[a], entries[b]);
  };
  int64_t left = 0, right = n - 1;
  while (right > left + 1) {
    std::swap(entries[(left + right) / 2], entries[left + 1]);
    order(left + 1, right);
    order(left, right);
    order(left + 1, left);
    int64_t i = left + 1, j = right;
    for (;;) {
      do ++i;
      while (above(left, i));
      do --j;
      while (above(j, left));
      if (j < i) break;
      std::swap(entries[i], entries[j]);
    }
    std::swap(entries[left], entries[j]);
    if (j >= k) right = j - 1;
    if (j <= k) left = i;
  }
  if (right == left + 1) order(left, right);
  return entries[k];
}

// If k is nearly the length of a long row, radix sort is faster. It gives the same answer unless the first k + 1 contain equal elements.
constexpr bool uses_radix(int64_t n, int64_t k) { return k * 4 > n && n >= 4096; }
template <class Item>
bool are_different(const Item* sorted, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    if (sorted[i].code() == sorted[i - 1].code()) return false;
  return true;
}

// Writes the first `k` elements of the sorted order of each row. With `resolves_ties`, rows with equal elements among the first k + 1 are
// selected again.
template <class T>
void sort_short_rows(int64_t rows, int64_t n, int64_t k, Rows<const T> in, bool descending, Rows<T> values, Rows<int64_t> indices,
                     bool resolves_ties) {
  static const auto sort_columns = detail::choose_clone<SortColumns>(SortColumns::run);
  const Code<T> flip = descending ? ~Code<T>(0) : Code<T>(0);
  parallel_for(0, (rows + tile_rows - 1) / tile_rows, 8, [&](int64_t begin, int64_t end) {
    uint64_t words[tile_width * tile_rows] = {};
    for (int64_t first = begin * tile_rows; first < std::min(end * tile_rows, rows); first += tile_rows) {
      const int64_t count = std::min(tile_rows, rows - first);
      const T* const row = in.data + first * in.row_stride;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t r = 0; r < count; ++r)
          words[i * tile_rows + r] = Packed::make(encode_value(row[r * in.row_stride + i * in.stride]) ^ flip, i).word;
      sort_columns(words, n);
      for (int64_t i = 0; i < k; ++i)
        for (int64_t r = 0; r < count; ++r) {
          const Packed item{words[i * tile_rows + r]};
          if (values.data != nullptr)
            values.data[(first + r) * values.row_stride + i * values.stride] = row[r * in.row_stride + item.index() * in.stride];
          if (indices.data != nullptr) indices.data[(first + r) * indices.row_stride + i * indices.stride] = item.index();
        }
      if (!resolves_ties) continue;
      uint8_t tied[tile_rows] = {};
      for (int64_t i = 1; i < std::min(k + 1, n); ++i)
        for (int64_t r = 0; r < tile_rows; ++r) tied[r] |= (words[i * tile_rows + r] ^ words[(i - 1) * tile_rows + r]) >> 32 == 0;
      for (int64_t r = 0; r < count; ++r)
        if (tied[r]) {
          Packed items[tile_width];
          encode_row(row + r * in.row_stride, in.stride, n, descending, items);
          select_by_partition(items, n, k);
          store_sorted_row(items, k, row + r * in.row_stride, in.stride, first + r, values, indices);
        }
    }
  });
}

template <class W, class Item>
void find_top(int64_t rows, int64_t n, int64_t k, Rows<const W> in, bool largest, Rows<W> values, Rows<int64_t> indices, Load<Item> load,
              CodedElements<Code<W>> (*coded)(const void* row, int64_t stride, bool largest)) {
  if (uses_heap(n, k)) {
    parallel_for(0, rows, std::max<int64_t>(1, 32768 / n), [&](int64_t begin, int64_t end) {
      Scratch<Item> heap(k + 1);
      for (int64_t r = begin; r < end; ++r) {
        const W* row = in.data + r * in.row_stride;
        select_by_heap(coded(row, in.stride, largest), n, k, heap.items);
        store_sorted_row(heap.items, k, row, in.stride, r, values, indices);
      }
    });
    return;
  }
  for_rows<W, Item>(rows, n, in, [&](Item* items, Item* spare, int64_t r, const W* row) {
    load(row, in.stride, n, largest, items);
    Item* chosen = items;
    bool is_chosen = false;
    if (uses_radix(n, k)) {
      chosen = sort_items(items, spare, n);
      is_chosen = are_different(chosen, std::min(k + 1, n));
      if (!is_chosen) load(row, in.stride, n, largest, chosen = items);
    }
    if (!is_chosen) select_by_partition(items, n, k);
    store_sorted_row(chosen, k, row, in.stride, r, values, indices);
  });
}

template <class T, class Item>
void find_kth(int64_t rows, int64_t n, int64_t k, Rows<const T> in, Rows<T> values, Rows<int64_t> indices) {
  for_rows<T, Item>(rows, n, in, [&](Item* items, Item*, int64_t r, const T* row) {
    encode_row(row, in.stride, n, false, items);
    Item found;
    if constexpr (std::is_integral_v<T>) {  // usually many are equal
      found = select_kth_by_hoare_partition(items, n, k);
    } else {
      std::nth_element(items, items + k, items + n);
      found = items[k];
      if (count_equal(row, in.stride, n, row[found.index() * in.stride]) > 1) {
        encode_row(row, in.stride, n, false, items);
        found = select_kth_by_hoare_partition(items, n, k);
      }
    }
    store_sorted_row(&found, 1, row, in.stride, r, values, indices);
  });
}

// Sorting bool only needs the number of elements of the first value. Values are written last, since they may overwrite the row. A bool
// may be any byte, as in a view of other memory.
void sort_bools(int64_t rows, int64_t n, Rows<const bool> in, bool descending, Rows<bool> values, Rows<int64_t> indices) {
  parallel_for(0, rows, std::max<int64_t>(1, 32768 / n), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const auto* const row = reinterpret_cast<const uint8_t*>(in.data) + r * in.row_stride;
      int64_t first = 0;
      for (int64_t i = 0; i < n; ++i) first += (row[i * in.stride] != 0) == descending;
      int64_t early = 0, late = first, *const places = indices.data + r * indices.row_stride;
      for (int64_t i = 0; i < n && indices.data != nullptr; ++i) {
        const bool is_first = (row[i * in.stride] != 0) == descending;
        places[(is_first ? early : late) * indices.stride] = i;
        early += is_first, late += !is_first;
      }
      for (int64_t i = 0; i < n && values.data != nullptr; ++i)
        values.data[r * values.row_stride + i * values.stride] = (i < first) == descending;
    }
  });
}

template <class T>
constexpr bool can_pack_index(int64_t n) {
  return sizeof(Code<T>) == 4 && n <= int64_t{0xffffffff};
}

}  // namespace

template <class T>
void sort_rows(int64_t rows, int64_t n, Rows<const T> in, bool descending, Rows<T> values, Rows<int64_t> indices) {
  if (rows <= 0 || n <= 0) return;
  if constexpr (std::is_same_v<T, bool>)
    if (!should_sort_in_tiles(rows, n)) return sort_bools(rows, n, in, descending, values, indices);
  if constexpr (sizeof(Code<T>) == 4) {
    if (can_pack_index<T>(n)) {
      if (should_sort_in_tiles(rows, n) && values.data != in.data)
        return sort_short_rows<T>(rows, n, n, in, descending, values, indices, false);
      return sort_items_with<Word<T>, Packed>(rows, n, view_as_words(in), descending, view_as_words(values), indices,
                                              encode_untyped_row<T, Packed>);
    }
  }
  sort_items_with<Word<T>, Pair>(rows, n, view_as_words(in), descending, view_as_words(values), indices, encode_untyped_row<T, Pair>);
}

template <class T>
void select_top_of_rows(int64_t rows, int64_t n, int64_t k, Rows<const T> in, bool largest, Rows<T> values, Rows<int64_t> indices) {
  if (rows <= 0 || k <= 0) return;
  if constexpr (sizeof(Code<T>) == 4) {
    if (can_pack_index<T>(n)) {
      if (!uses_heap(n, k) && should_sort_in_tiles(rows, n) && values.data != in.data)
        return sort_short_rows<T>(rows, n, k, in, largest, values, indices, true);
      return find_top<Word<T>, Packed>(rows, n, k, view_as_words(in), largest, view_as_words(values), indices,
                                       encode_untyped_row<T, Packed>, load_coded_elements<T>);
    }
  }
  find_top<Word<T>, Pair>(rows, n, k, view_as_words(in), largest, view_as_words(values), indices, encode_untyped_row<T, Pair>,
                          load_coded_elements<T>);
}

template <class T>
void select_kth_of_rows(int64_t rows, int64_t n, int64_t k, Rows<const T> in, Rows<T> values, Rows<int64_t> indices) {
  if (rows <= 0 || n <= 0) return;
  if constexpr (sizeof(Code<T>) == 4) {
    if (can_pack_index<T>(n)) return find_kth<T, Packed>(rows, n, k, in, values, indices);
  }
  find_kth<T, Pair>(rows, n, k, in, values, indices);
}

#define MT_INSTANTIATE_SORT(T) template void sort_rows<T>(int64_t, int64_t, Rows<const T>, bool, Rows<T>, Rows<int64_t>);
#define MT_INSTANTIATE(T)                                                                                      \
  MT_INSTANTIATE_SORT(T)                                                                                       \
  template void select_top_of_rows<T>(int64_t, int64_t, int64_t, Rows<const T>, bool, Rows<T>, Rows<int64_t>); \
  template void select_kth_of_rows<T>(int64_t, int64_t, int64_t, Rows<const T>, Rows<T>, Rows<int64_t>);
MT_INSTANTIATE(float)
MT_INSTANTIATE(double)
MT_INSTANTIATE(Half)
MT_INSTANTIATE(BFloat16)
MT_INSTANTIATE(bool)
MT_INSTANTIATE(int8_t)
MT_INSTANTIATE(int16_t)
MT_INSTANTIATE(int32_t)
MT_INSTANTIATE(int64_t)
MT_INSTANTIATE(uint8_t)
MT_INSTANTIATE_SORT(uint16_t)
MT_INSTANTIATE_SORT(uint32_t)
MT_INSTANTIATE_SORT(uint64_t)

}  // namespace mt::cpu
