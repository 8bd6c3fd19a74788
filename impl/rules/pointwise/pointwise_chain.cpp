// Runs chains: each tile of the operands goes through all links before the next tile is read.
#include "rules/pointwise/pointwise_chain.h"

#include <memory>
#include <vector>

#include "cpu/copy/convert.h"
#include "cpu/threads/parallel.h"

namespace mt {
namespace {

constexpr int64_t tile = 512;
constexpr int64_t tile_bytes = tile * 16;

// Where a link reads an operand from.
struct Source {
  int64_t link = -1;           // an earlier link
  const char* data = nullptr;  // otherwise memory
  Dtype dtype = Dtype::none;
  bool is_number = false;
  cpu::Conversion convert;  // to the dtype that the link's loop reads
};

struct Program {
  ChainLink* links;
  int64_t count;
  std::vector<Source> sources;             // max_pointwise_inputs per link
  std::vector<cpu::Conversion> to_result;  // from the dtype that each link's loop writes

  const Source& source(int64_t link, int k) const { return sources[size_t(link * max_pointwise_inputs + k)]; }
};

void run_range(const Program& program, int64_t begin, int64_t end) {
  constexpr int width = max_pointwise_inputs + 2;  // tiles per link: its operands, the loop's output, the result
  const std::unique_ptr<char[]> memory(new char[size_t(program.count * width * tile_bytes) + 64]);
  char* const aligned = memory.get() + (64 - reinterpret_cast<uintptr_t>(memory.get()) % 64);
  auto buffer = [&](int64_t link, int k) { return aligned + (link * width + k) * tile_bytes; };
  const int64_t longest = std::min(tile, end - begin);
  for (int64_t i = 0; i < program.count; ++i) {  // a number is repeated once
    const PointwisePlan& plan = program.links[i].plan;
    for (int k = 0; k < plan.count; ++k) {
      const Source& s = program.source(i, k);
      if (s.is_number) s.convert(buffer(i, k), element_size(plan.loop_dtype), s.data, 0, longest);
    }
  }
  std::vector<char*> results(size_t(program.count));  // of this tile, in the results' own dtypes
  for (int64_t at = begin; at < end; at += tile) {
    const int64_t n = std::min(tile, end - at);
    for (int64_t i = 0; i < program.count; ++i) {
      const ChainLink& link = program.links[i];
      const PointwisePlan& plan = link.plan;
      const int64_t loop_size = element_size(plan.loop_dtype);
      const void* in[max_pointwise_inputs];
      for (int k = 0; k < plan.count; ++k) {
        const Source& s = program.source(i, k);
        const int64_t size = element_size(s.dtype);
        const char* data = s.link >= 0 ? results[size_t(s.link)] : s.is_number ? nullptr : s.data + at * size;
        in[k] = data;
        if (data && s.dtype == plan.loop_dtype) continue;
        if (data) s.convert(buffer(i, k), loop_size, data, size, n);
        in[k] = buffer(i, k);
      }
      const int64_t result_size = element_size(plan.result_dtype);
      char* const result = link.is_kept ? link.out.data<char>() + at * result_size : buffer(i, width - 1);
      char* const written = plan.stored_dtype == plan.result_dtype ? result : buffer(i, width - 2);
      plan.loop(written, in, n);
      // Half types round after each operator, as they would in memory.
      if (written != result) program.to_result[size_t(i)](result, result_size, written, element_size(plan.stored_dtype), n);
      results[size_t(i)] = result;
    }
  }
}

}  // namespace

bool can_chain(const PointwisePlan& plan, const TensorImpl& result) {
  if (result.numel == 0 || !result.device.is_cpu() || !is_contiguous(result.sizes, result.strides)) return false;
  if (plan.result_dtype != result.dtype || plan.count == 0) return false;
  bool any_whole = false;
  for (int k = 0; k < plan.count; ++k) {
    const Tensor& t = plan.inputs[k];
    if (!t.device().is_cpu() || t.is_conj() || t.is_neg()) return false;
    const bool is_whole = t.sizes() == IntList(result.sizes) && t.is_contiguous();
    any_whole |= is_whole;
    if (!is_whole && (t.dim() != 0 || !t.data())) return false;
  }
  return any_whole;
}

void run_chain(ChainLink* links, int64_t count) {
  Program program{links, count, std::vector<Source>(size_t(count * max_pointwise_inputs)), std::vector<cpu::Conversion>(size_t(count))};
  int64_t grain = INT64_MAX;
  for (int64_t i = 0; i < count; ++i) {
    ChainLink& link = links[i];
    if (link.is_kept) {
      link.out = empty_of_known_size(link.result->sizes, link.result->numel, link.plan.result_dtype);
      link.out->strides = link.result->strides;  // strides of dimensions of size 1 do not follow from the shape
    }
    grain = std::min(grain, link.plan.kernel->grain);
    program.to_result[size_t(i)] = cpu::Conversion(link.plan.result_dtype, link.plan.stored_dtype);
    for (int k = 0; k < link.plan.count; ++k) {
      const Tensor& t = link.plan.inputs[k];
      Source& s = program.sources[size_t(i * max_pointwise_inputs + k)];
      s.dtype = t.dtype();
      s.convert = cpu::Conversion(link.plan.loop_dtype, s.dtype);
      for (int64_t j = 0; j < i; ++j)
        if (links[j].result == t.get()) s.link = j;
      if (s.link >= 0) continue;
      s.data = t.data<char>();
      s.is_number = t.dim() == 0 && links[0].result->sizes.size() != 0;
    }
  }
  cpu::parallel_for(0, links[0].result->numel, grain, [&](int64_t begin, int64_t end) { run_range(program, begin, end); });
}

}  // namespace mt
