// Handles of NPU events and graphs.
#pragma once

#include "convert.h"
#include "npu/graph.h"
#include "npu/runtime.h"

namespace mt::capi {

template <>
inline constexpr Kind kind_of<npu::Event> = Kind::npu_event;
template <>
inline constexpr Kind kind_of<npu::Graph> = Kind::npu_graph;

inline npu::Event& event_of(const mt_npu_event* handle) { return object_of<npu::Event>(handle, "event"); }
inline npu::Graph& graph_of(const mt_npu_graph* handle) { return object_of<npu::Graph>(handle, "graph"); }

}  // namespace mt::capi
