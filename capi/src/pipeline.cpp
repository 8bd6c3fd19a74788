// The C functions of pipelines.
#include "layers/pipeline.h"

#include "convert.h"
#include "mindtorch/pipeline.h"
#include "structs.h"

using namespace mt;
using namespace mt::capi;

mt_status* mt_pipeline_enter(void) {
  return guard([] { enter_pipeline(); });
}
mt_status* mt_pipeline_exit(void) {
  return guard([] { exit_pipeline(); });
}
mt_status* mt_pipeline_flush(void) {
  return guard([] { flush_pipeline(); });
}

mt_status* mt_pipeline_get_stats(mt_pipeline_stats* out) {
  return guard([&] {
    const PipelineStatistics s = pipeline_statistics();
    mt_pipeline_stats found{};
    found.queued = s.queued;
    found.flushes = s.flushes;
    found.chains = s.chains;
    found.chained = s.chained;
    write_struct(out, "out", found);
  });
}

mt_status* mt_pipeline_site_handler_set(mt_site_fn fn, void* user) {
  return guard([&] { set_pipeline_site(fn, user); });
}
