// Groups of processes, and the table of their backends by device type.
#include "distributed/group.h"

#include "core/exception.h"
#include "npu/runtime.h"

namespace mt::dist {
namespace {

constexpr int64_t default_timeout = 30 * 60 * 1000;

// Parses "gloo" or "cpu:gloo,npu:hccl" into device types and backend names.
std::vector<std::pair<DeviceType, std::string>> parse_backends(const std::string& text) {
  std::vector<std::pair<DeviceType, std::string>> out;
  if (text.find(':') == std::string::npos) {
    out.emplace_back(DeviceType(backend_named(text).device_type), text);
    return out;
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string pair = text.substr(begin, end - begin);
    const size_t colon = pair.find(':');
    check(colon != std::string::npos && pair.find(':', colon + 1) == std::string::npos, ErrorKind::value,
          "Invalid device:backend pairing: {}", pair);
    mt_device device;
    rethrow_status(mt_device_parse(pair.substr(0, colon).c_str(), &device));
    const std::string name = pair.substr(colon + 1);
    check(backend_named(name).device_type == device.type, ErrorKind::value, "the backend {} does not serve {}", name,
          pair.substr(0, colon));
    out.emplace_back(DeviceType(device.type), name);
    begin = end + 1;
  }
  return out;
}

}  // namespace

Group::Group(const mt_group_options& options)
    : Object(Kind::group), timeout(options.timeout > 0 ? options.timeout : default_timeout), rank_(options.rank), size_(options.size),
      name_(options.name ? options.name : "") {
  check(size_ > 0 && rank_ >= 0 && rank_ < size_, ErrorKind::value, "rank {} is not in a group of {}", rank_, size_);
  mt_group_options own = options;
  own.timeout = timeout;
  own.name = name_.c_str();
  for (const auto& [device, name] : parse_backends(options.backend)) {
    check(channels_.empty() || std::none_of(channels_.begin(), channels_.end(), [&](const auto& c) { return c.first == device; }),
          ErrorKind::value, "two backends for one kind of device");
    channels_.emplace_back(device, std::make_shared<Channel>(backend_named(name), own));
  }
}

std::shared_ptr<Channel> Group::channel_of(const Collective& what) const {
  const auto& tensors = what.outputs.empty() ? what.inputs : what.outputs;
  if (tensors.empty()) return channels_.front().second;
  const DeviceType device = tensors.front().device().type;
  for (const auto& [type, channel] : channels_)
    if (type == device) return channel;
  fail("No backend type associated with device type {}", mt_device_type_name(int32_t(device)));
}

Ref<Work> Group::start(Collective what) {
  const auto channel = channel_of(what);
  check_collective(*channel, what);
  const int64_t number = ++sequence_;
  if (what.timeout <= 0) what.timeout = timeout;
  auto work = Ref<Work>::adopt(new Work);
  work->timeout = what.timeout;
  work->name = std::string(name_of_kind(what.kind)) + " number " + std::to_string(number) + " of rank " + std::to_string(rank_) +
               " in group \"" + name_ + "\"";
  if (channel->uses_streams()) {
    work->is_receive = what.kind == MT_RECEIVE;
    work->known_source = what.root;
    work->tensors = what.inputs;
    work->tensors.insert(work->tensors.end(), what.outputs.begin(), what.outputs.end());
    const int device = work->tensors.empty() ? npu::current_device() : work->tensors.front().device().index;
    const auto call = std::make_shared<Call>(Call{*channel, what, work->name});
    channel->start_on_stream(work, device, what, [call] { run_collective(*call); });
    return work;
  }
  if (what.kind == MT_SEND || what.kind == MT_RECEIVE) {
    const Tensor& tensor = what.kind == MT_SEND ? what.inputs[0] : what.outputs[0];
    mt_transfer message{};
    message.struct_size = sizeof message;
    message.kind = what.kind;
    message.dtype = int32_t(tensor.dtype());
    message.root = what.root;
    message.tag = what.tag;
    message.timeout = what.timeout;
    message.input = message.output = tensor.data();
    message.count = tensor.numel();
    message.item_size = tensor.itemsize();
    work->is_receive = what.kind == MT_RECEIVE;
    work->tensors = {tensor};
    try {
      work->request = channel->post(message);
    } catch (...) {
      rethrow_with_name(work->name);
    }
    work->channel = channel;
    return work;
  }
  const bool is_async = what.is_async;
  auto call = std::make_shared<Call>(Call{*channel, std::move(what), work->name});
  channel->start(work, is_async, [call] { run_collective(*call); });
  return work;
}

void Group::abort() {
  for (const auto& [type, channel] : channels_) channel->abort();
}

}  // namespace mt::dist
