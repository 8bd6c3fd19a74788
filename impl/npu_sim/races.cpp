// The race detector: vector clocks of streams and events, and the last accesses to each range of bytes.
#include <algorithm>

#include "npu_sim/simulator.h"

namespace mt::npu_sim {
namespace {

struct MemoryAccess {
  int stream;
  uint64_t time;
  std::string task;
};
struct MemoryPiece {
  const char* end;
  std::vector<MemoryAccess> writes;  // one, or none
  std::vector<MemoryAccess> reads;   // the last of each stream since the write
};
struct RaceLog {
  std::mutex mutex;
  std::map<const char*, MemoryPiece> pieces;  // by start address; they do not overlap
  Clock host;
  std::string first;
};
RaceLog& race_log() {
  static auto* const all = new RaceLog();
  return *all;
}

uint64_t clock_value_of(const Clock& clock, int stream) { return size_t(stream) < clock.size() ? clock[size_t(stream)] : 0; }

// Splits the piece that contains `where` at that address.
void split_piece(std::map<const char*, MemoryPiece>& pieces, const char* where) {
  auto found = pieces.upper_bound(where);
  if (found == pieces.begin()) return;
  auto piece = std::prev(found);
  if (piece->first == where || piece->second.end <= where) return;
  MemoryPiece tail = piece->second;
  piece->second.end = where;
  pieces.emplace_hint(found, where, std::move(tail));
}

void compare_uses(RaceLog& r, const MemoryAccess& now, bool writes, const Clock& clock, const std::vector<MemoryAccess>& others,
                  const char* how) {
  for (const MemoryAccess& other : others)
    if (other.stream != now.stream && other.time > clock_value_of(clock, other.stream)) {
      ++counters().races;
      if (r.first.empty())
        r.first = now.task + " on stream " + std::to_string(now.stream) + (writes ? " writes" : " reads") + " what " + other.task +
                  " on stream " + std::to_string(other.stream) + " " + how + ", and no event lies between";
    }
}

}  // namespace

void merge(Clock& into, const Clock& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

void add_to_host_clock(const Clock& clock) {
  std::lock_guard lock(race_log().mutex);
  merge(race_log().host, clock);
}
Clock host_clock() {
  std::lock_guard lock(race_log().mutex);
  return race_log().host;
}

void record_accesses(int stream, Clock& clock, const std::string& task, const std::vector<Access>& accesses) {
  RaceLog& r = race_log();
  std::lock_guard lock(r.mutex);
  merge(clock, r.host);
  if (clock.size() <= size_t(stream)) clock.resize(size_t(stream) + 1);
  const MemoryAccess now{stream, ++clock[size_t(stream)], task};
  for (const Access& access : accesses) {
    if (access.begin >= access.end) continue;
    split_piece(r.pieces, access.begin);
    split_piece(r.pieces, access.end);
    const char* next = access.begin;
    for (auto it = r.pieces.lower_bound(access.begin); next < access.end; ++it) {
      if (it == r.pieces.end() || it->first > next)  // bytes without an access so far
        it = r.pieces.emplace_hint(it, next, MemoryPiece{it == r.pieces.end() ? access.end : std::min(it->first, access.end), {}, {}});
      MemoryPiece& piece = it->second;
      next = piece.end;
      compare_uses(r, now, access.writes, clock, piece.writes, "wrote");
      if (access.writes) {
        compare_uses(r, now, true, clock, piece.reads, "reads");
        piece.writes.assign(1, now);
        piece.reads.clear();
      } else {
        std::erase_if(piece.reads, [&](const MemoryAccess& use) { return use.stream == stream; });
        piece.reads.push_back(now);
      }
    }
  }
}

void forget_accesses(const char* begin, const char* end) {
  RaceLog& r = race_log();
  std::lock_guard lock(r.mutex);
  split_piece(r.pieces, begin);
  split_piece(r.pieces, end);
  r.pieces.erase(r.pieces.lower_bound(begin), r.pieces.lower_bound(end));
}

std::string first_race() {
  std::lock_guard lock(race_log().mutex);
  return race_log().first;
}
void reset_races() {
  std::lock_guard lock(race_log().mutex);
  race_log().first.clear();
}

}  // namespace mt::npu_sim
