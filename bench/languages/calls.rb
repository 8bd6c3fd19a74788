# What calls from Ruby cost: prints `name seconds`, as calls.c does.
require "mindtorch"

def measure(name, repeats, rounds)
  best = Float::INFINITY
  yield
  rounds.times do
    begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    repeats.times { yield }
    best = [best, (Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun) / repeats].min
  end
  puts format("%s %.9f", name, best)
end

a = MindTorch.tensor([1.0])
b = MindTorch.tensor([1.0])
square = MindTorch.ones([1024, 1024])
packed = ([0.0] * 1_000_000).pack("d*")
numbers = MindTorch.from_bytes(packed, [1_000_000], "float64")
measure("add", 500, 400) { a.add(b) }
measure("mm", 1, 10) { square.mm(square).close }
measure("in", 1, 20) { MindTorch.from_bytes(packed, [1_000_000], "float64").close }
measure("out", 1, 20) { numbers.to_bytes }
