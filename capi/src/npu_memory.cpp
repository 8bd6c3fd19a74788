// NPUs: device memory and its statistics, pinned host memory, generators.
#include "convert.h"
#include "core/backend.h"
#include "core/messages.h"
#include "npu/allocator.h"
#include "npu/generator.h"
#include "npu/pinned.h"

using namespace mt;
using namespace mt::capi;

namespace {

npu::FigureFn wrap_visitor(mt_npu_figure_fn visit, void* user) {
  require_not_null(reinterpret_cast<const void*>(visit), "visit");
  return [=](const char* name, int64_t value) { rethrow_status(visit(user, name, value)); };
}

}  // namespace

// ---- device memory ------------------------------------------------------------------------------------------------

mt_status* mt_npu_allocate(int32_t device, int64_t nbytes, int64_t stream, void** out) {
  return guard([&] {
    require_not_null(out, "out");
    const npu::Stream& s = npu::stream_of(device, stream);
    *out = npu::allocate(s.device, nbytes, s.id);
  });
}
mt_status* mt_npu_free(void* pointer) {
  return guard([&] { npu::release(pointer); });
}
mt_status* mt_npu_record_stream(const mt_tensor* tensor, int64_t stream) {
  return guard([&] {
    TensorImpl& t = impl_of(tensor);
    check(t.device.type == DeviceType::npu, "record_stream is for tensors on an NPU, this one is on {}", t.device);
    npu::record_stream(t.storage->data, npu::stream_of(t.device.index, stream).id);
  });
}
mt_status* mt_npu_empty_cache(void) {
  return guard([] { npu::empty_cache(); });
}
mt_status* mt_npu_memory_stats(int32_t device, mt_npu_figure_fn visit, void* user) {
  return guard([&] { npu::memory_statistics(device, wrap_visitor(visit, user)); });
}
mt_status* mt_npu_memory_reset_peak(int32_t device) {
  return guard([&] { npu::reset_peak_statistics(device); });
}
mt_status* mt_npu_memory_reset_accumulated(int32_t device) {
  return guard([&] { npu::reset_accumulated_statistics(device); });
}
mt_status* mt_npu_memory_fraction_get(int32_t device, double* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = npu::memory_fraction(device);
  });
}
mt_status* mt_npu_memory_fraction_set(int32_t device, double fraction) {
  return guard([&] { npu::set_memory_fraction(device, fraction); });
}
mt_status* mt_npu_allocator_settings(const char* settings) {
  return guard([&] {
    require_not_null(settings, "settings");
    npu::set_allocator_settings(settings);
  });
}

mt_status* mt_npu_memory_snapshot(mt_status* (*visit)(void* user, const mt_npu_segment* segment), void* user) {
  return guard([&] {
    require_not_null(reinterpret_cast<const void*>(visit), "visit");
    for (const npu::SegmentView& view : npu::memory_snapshot()) {
      std::vector<mt_npu_block> blocks;
      mt_npu_segment segment{};
      segment.struct_size = sizeof segment;
      segment.address = view.blocks[0].address;
      for (const npu::BlockView& b : view.blocks) {
        blocks.push_back({sizeof(mt_npu_block), b.address, b.size, b.requested, int32_t(b.state)});
        segment.total_size += b.size;
        segment.requested_size += b.requested;
        if (b.state == npu::BlockState::allocated) segment.allocated_size += b.size;
        if (b.state != npu::BlockState::inactive) segment.active_size += b.size;
      }
      segment.stream = view.stream;
      segment.pool_owner = view.pool.owner;
      segment.pool_id = view.pool.id;
      segment.device = view.device;
      segment.is_large = view.large;
      segment.n_blocks = int32_t(blocks.size());
      segment.blocks = blocks.data();
      rethrow_status(visit(user, &segment));
    }
  });
}

// ---- pinned host memory -------------------------------------------------------------------------------------------

mt_status* mt_npu_pinned_storage(int64_t nbytes, mt_storage** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = return_handle(backend_of(DeviceType::npu).pinned_storage(nbytes));
  });
}
mt_status* mt_npu_is_pinned(const mt_storage* storage, int32_t* out) {
  return guard([&] {
    const Storage& s = storage_of(storage);
    require_not_null(out, "out");
    *out = s.device.is_cpu() && npu::is_pinned(s.data);
  });
}
mt_status* mt_npu_host_memory_stats(mt_npu_figure_fn visit, void* user) {
  return guard([&] { npu::pinned_statistics(wrap_visitor(visit, user)); });
}
mt_status* mt_npu_host_memory_reset_peak(void) {
  return guard([] { npu::reset_pinned_peak(); });
}
mt_status* mt_npu_host_memory_reset_accumulated(void) {
  return guard([] { npu::reset_pinned_accumulated(); });
}
mt_status* mt_npu_host_empty_cache(void) {
  return guard([] { npu::empty_pinned_cache(); });
}

// ---- generators ---------------------------------------------------------------------------------------------------

namespace {
Generator& npu_generator(const mt_generator* handle) {
  Generator& g = generator_of(handle);
  check(g.device.type == DeviceType::npu, messages::expected_npu_generator, name_of(g.device.type));
  return g;
}
}  // namespace

mt_status* mt_npu_generator_default(int32_t device, mt_generator** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = return_handle(Ref<Generator>::share(&npu::default_generator_of(device)));
  });
}
mt_status* mt_npu_generator_get_offset(const mt_generator* generator, uint64_t* out) {
  return guard([&] {
    Generator& g = npu_generator(generator);
    require_not_null(out, "out");
    std::lock_guard lock(g.mutex);
    *out = g.counter_offset;
  });
}
mt_status* mt_npu_generator_set_offset(mt_generator* generator, uint64_t offset) {
  return guard([&] {
    Generator& g = npu_generator(generator);
    check(offset % 4 == 0, messages::offset_not_multiple_of_4);
    std::lock_guard lock(g.mutex);
    g.counter_offset = offset;
  });
}
