# What expected.txt and expected-hooks.txt list, in Ruby.
require "mindtorch"
include MindTorch
def call(*arguments, **named) = MindTorch.call(*arguments, **named)
def text(tensor) = MindTorch.tensor_to_doubles(tensor).map { |number| format("%g", number) }.join(" ")
def bytes = MindTorch.allocator_get_stats.allocated_bytes
def failing
  yield
  "nothing"
rescue Error => e
  "#{e.kind}: #{e.message}"
end

x = MindTorch.tensor_from_doubles([1, 2, 3, 4.5], [4], MT_FLOAT32)
puts "cat #{text(call("cat", "", [x, x], 0))}"
puts "max #{call("max", "dim", x, 0).map { |part| text(part) }.join(" ")}"
puts "split #{call("split", "Tensor", x, 2).map { |part| text(part) }.join(" | ")}"
puts "floor #{text(call("div", "Tensor_mode", x, call("full", "", [4], 2.0), rounding_mode: "floor"))}"
puts "clamp #{text(call("clamp", "", x, nil, 3))}"
first_and_last = MindTorch.tensor_from_doubles([0, 3], [2], MT_INT64)
puts "index #{text(call("index", "Tensor", call("stack", "", [x, x], 1), [first_and_last, call("zeros_like", "", first_and_last)]))}"
puts "dtypes #{MindTorch.tensor_get_info(call("zeros", "", [2], dtype: "float64")).dtype} " \
     "#{call("result_type", "Tensor", x, call("zeros", "", [2], dtype: MT_FLOAT64))}"
puts "equal #{call("equal", "", x, x) ? 1 : 0} #{call("equal", "", x, call("neg", "", x)) ? 1 : 0}"
puts "empty #{text(call("sum", "dim_IntList", x, [], false))}"
device = MindTorch.device_parse("npu:3")
puts "device #{device.type} #{device.index}"
values = Values.new
values.add_int(9_007_199_254_740_993)
puts "whole #{values.get_int(0)}"
packed = MindTorch.tensor_to_bytes(MindTorch.tensor_from_bytes([1.5, 2.5].pack("d*"), [2], MT_FLOAT64))
puts "bytes #{packed.unpack("d*").join(" ")}"

MindTorch.tensor_set_requires_grad(x, 1)
queue = GradientQueue.new
queue.watch(x)
MindTorch.backward(call("sum", "", call("mul", "Tensor", x, x)))
puts "gradient #{text(MindTorch.tensor_grad(x))}"
puts "seen #{text(queue.poll)}"
puts "none #{queue.poll.nil? && MindTorch.tensor_grad(call("neg", "", x)).nil? ? 1 : 0}"

puts "error #{failing { call("add", "Tensor", x, call("ones", "", [2])) }}"
puts "status #{failing { MindTorch.mt_tensor_set_requires_grad(first_and_last, 1) }}"
puts "index #{failing { call("unsqueeze", "", x, 7) }}"
puts "keyword #{failing { call("zeros", "", [2], dtyp: 6) }}"
puts "null #{failing { MindTorch.tensor_sizes(nil) }}"
before = bytes
100.times { call("zeros", "", [100_000]) }
GC.start
puts "released #{bytes - before < 10_000_000 ? 1 : 0}"

y = MindTorch.tensor_from_doubles([1, 2, 3, 4.5], [4], MT_FLOAT32)
MindTorch.tensor_set_requires_grad(y, 1)
MindTorch.on_gradient(y) { |gradient| call("mul", "Scalar", gradient, 2.0) }
MindTorch.backward(call("sum", "", call("mul", "Tensor", y, y)))
puts "replaced #{text(MindTorch.tensor_grad(y))}"
MindTorch.on_gradient(y) { raise KeyError, "from the hook" }
puts "hook #{failing { MindTorch.backward(call("sum", "", y)) }}"
