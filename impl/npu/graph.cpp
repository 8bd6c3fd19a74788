// Capture and replay of graphs.
#include "npu/graph.h"

#include "core/error.h"

namespace mt::npu {

PoolId new_pool() {
  static std::atomic<int64_t> next = 1;
  return {0, next++};
}

Graph::~Graph() {
  try {
    if (!in_bad_fork()) reset();
  } catch (...) {  // the device failed while a graph was freed: there is nobody to report it to
  }
}

void Graph::begin(PoolId pool, int mode) {
  const Acl& a = acl();
  check(a.aclmdlRICaptureBegin && a.aclmdlRICaptureEnd && a.aclmdlRIExecuteAsync && a.aclmdlRIDestroy, ErrorKind::not_implemented,
        "the NPU library cannot capture graphs");
  check(!capturing_ && !model_, "This NPUGraph instance already owns a captured graph. To capture a new graph, create a new instance.");
  check(mode >= 0 && mode <= 2, ErrorKind::value, "capture mode {} does not exist", mode);
  const Stream& stream = current_stream(-1);
  check(stream.id != 0,
        "NPU graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on the default stream.)");
  static std::atomic<int64_t> owner = 1;
  const PoolId own = pool ? pool : PoolId{owner++, 0};
  MT_ACL(aclmdlRICaptureBegin, stream.handle, mode);
  pool_ = own;
  device_ = stream.device;
  stream_ = stream.id;
  capturing_ = has_pool_ = true;
  begin_pool(device_, stream_, pool_);
}

void Graph::end() {
  check(capturing_, "This NPUGraph instance is not capturing.");
  const Stream& stream = current_stream(device_);
  check(stream.id == stream_, "Capture must end on the same stream it began on.");
  capturing_ = false;
  end_pool(device_, stream_, pool_);
  MT_ACL(aclmdlRICaptureEnd, stream.handle, &model_);
}

void Graph::replay() {
  check(model_, "Called NPUGraph::replay without a preceding successful capture.");
  DeviceScope scope(device_);
  MT_ACL(aclmdlRIExecuteAsync, model_, current_stream(device_).handle);
}

void Graph::reset() {
  if (capturing_) {  // destroyed during the capture
    capturing_ = false;
    end_pool(device_, stream_, pool_);
    aclmdlRI unfinished = nullptr;
    if (acl().aclmdlRICaptureEnd(stream_of(device_, stream_).handle, &unfinished) == acl::success) acl().aclmdlRIDestroy(unfinished);
  }
  if (has_pool_) drop_pool(device_, pool_);
  has_pool_ = false;
  if (model_) {
    const aclmdlRI model = std::exchange(model_, nullptr);
    MT_ACL(aclmdlRIDestroy, model);
  }
}

}  // namespace mt::npu
