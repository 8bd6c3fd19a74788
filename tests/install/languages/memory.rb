# Drops 200 tensors of 40 MB with views, and 50 graphs that keep as much each; prints the process's peak in MB.
require "mindtorch"

200.times do
  tensor = MindTorch.call("ones", "", [10_000_000])
  MindTorch.call("narrow", "", tensor, 0, 0, 10)
end
leaf = MindTorch.call("ones", "", [10_000_000])
MindTorch.tensor_set_requires_grad(leaf, 1)
50.times { MindTorch.call("sum", "", MindTorch.call("exp", "", leaf)) }
puts File.read("/proc/self/status")[/VmHWM:\s+(\d+)/, 1].to_i / 1024
