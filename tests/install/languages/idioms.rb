# What a Ruby programmer expects of tensors. Values and texts are torch 2.13's where it has them.
require "mindtorch"

$failed = false
def expect(what, found, wanted)
  return if found == wanted
  warn "#{what}: #{found.inspect} instead of #{wanted.inspect}"
  $failed = true
end

def failing
  yield
  "nothing"
rescue MindTorch::Error => e
  "#{e.kind}: #{e.message}"
end

# Operators, and their overloads by arguments.
x = MindTorch.tensor([[1.0, 2.0], [3.0, 4.0]])
expect "dtype", [x.dtype, MindTorch.tensor([1, 2]).dtype, MindTorch.tensor([true]).dtype], %i[float32 int64 bool]
expect "arithmetic", (2 - x * 3 + x / 2).to_a, [[-0.5, -3.0], [-5.5, -8.0]]
expect "powers", [(x**2).to_a, (2**x).to_a], [[[1, 4], [9, 16]], [[2, 4], [8, 16]]]
ints = MindTorch.tensor([5, 1])
expect "numbers on the left", [2.5 * ints, 1 - ints, 2**ints, 2 & ints, Rational(1, 2) * ints].map { |made| [made.dtype, *made.to_a] },
       [[:float32, 12.5, 2.5], [:int64, -4, 0], [:int64, 32, 2], [:int64, 0, 0], [:float32, 2.5, 0.5]]
expect "complex numbers on the left", (Complex(0, 1) * ints)[0].item, Complex(0, 5)
expect "what is no number", (ints.coerce("2") rescue $!.class), TypeError
expect "comparisons", [(x > 2).to_a, (x.eq 2).to_a], [[[false, false], [true, true]], [[false, true], [false, false]]]
expect "methods", [x.sum.item, x.sum(0).to_a, x.sum([1], keepdim: true).to_a, x.max(1).map(&:to_a)],
       [10.0, [4, 6], [[3], [7]], [[2, 4], [1, 1]]]
expect "functions", MindTorch.cat([x, x], 1).shape, [2, 4]
expect "keywords", MindTorch.full([2], 7, dtype: :int32).to_a, [7, 7]
expect "names as strings", MindTorch.call("add", "", x, x, "alpha" => 2).to_a, [[3, 6], [9, 12]]
expect "names of another class", (MindTorch.call("add", "", x, x, 1 => 2) rescue "#{$!.class}: #{$!.message}"),
       "TypeError: an argument's name is a Symbol or String, not Integer"
expect "in place", [x.clone.add_(1, alpha: 2).to_a, x.to_a], [[[3, 4], [5, 6]], [[1, 2], [3, 4]]]
expect "equality", [x == x.clone, x == x + 1, x == 1, [x].include?(x.clone)], [true, false, false, true]
expect "item", [MindTorch.tensor([7]).item, MindTorch.tensor(0.5).item, MindTorch.tensor([true]).item, (x > 0).all.item],
       [7, 0.5, true, true]
expect "unknown", (x.nothing rescue [$!.class, $!.message.lines.first.chomp, $!.backtrace.first[/\w+\.rb/]]),
       [NoMethodError, "undefined method `nothing' for a MindTorch::Tensor", "idioms.rb"]
expect "responds", [x.respond_to?(:relu), x.respond_to?(:nothing), MindTorch.respond_to?(:cat)], [true, false, true]

# Indices.
y = MindTorch.arange(24).reshape([4, 6])
expect "ranges", y[1..2, 0...2].to_a, [[6, 7], [12, 13]]
expect "open ranges", [y[-1, 3..].to_a, y[..0, -2..-1].to_a], [[21, 22, 23], [[4, 5]]]
expect "steps", y[(0..) % 2, 0].to_a, [0, 12]
expect "lists", [y[[3, 0], 1].to_a, y[0, nil].shape], [[19, 1], [1, 6]]
expect "masks", y[y > 20].to_a, [21, 22, 23]
y[0, 0..1] = 9
y[[1, 2], [0, 0]] = MindTorch.tensor([-1, -2])
expect "assignment", [y[0, 0..2].to_a, y[0..2, 0].to_a], [[9, 9, 2], [9, -1, -2]]
expect "rows", [y.map { |row| row[1].item }, y.each_slice(3).map(&:size), y.first[0].item, y.include?(y[3])], [[9, 7, 13, 19], [3, 1], 9, true]
expect "operators before Enumerable's methods", [y.sum(0).shape, y.max.item, y.take(MindTorch.tensor([0])).to_a, y.sort(1, true)[0][3, 0].item],
       [[6], 23, [9], 23]
expect "each", [y.each.size, y[0].each.map(&:item).sum], [4, 9 + 9 + 2 + 3 + 4 + 5]

# Texts and conversions.
expect "inspect", [x.inspect, MindTorch.tensor(2).to_s],
       ["#<MindTorch::Tensor float32 [2, 2]: [[1.0, 2.0], [3.0, 4.0]]>", "#<MindTorch::Tensor int64 []: 2>"]
expect "long inspect", MindTorch.arange(2000).inspect, "#<MindTorch::Tensor int64 [2000]: [0, 1, 2, ..., 1997, 1998, 1999]>"
expect "empty dimensions", [[2, 0], [0, 2], [2, 3, 0], [2, 0, 3]].map { |sizes| MindTorch.zeros(sizes).to_a },
       [[[], []], [], [[[], [], []], [[], [], []]], [[], []]]
expect "unsigned", [MindTorch.tensor(-1).to(:uint64).item, MindTorch.tensor([-1, 1]).to(:uint64).to_a], [2**64 - 1, [2**64 - 1, 1]]
expect "bytes", MindTorch.from_bytes([1.5, 2.5].pack("d*"), [2], :float64).to_bytes.unpack("d*"), [1.5, 2.5]
expect "wrong bytes", failing { MindTorch.from_bytes("abc", [2], :float64) },
       "ValueError: the sizes require 16 bytes, and there are 3"
million = (0...1_000_000).map(&:to_f).pack("d*")
expect "a million doubles in and out", MindTorch.from_bytes(million, [1_000_000], :float64).to_bytes == million, true

# Gradients.
w = MindTorch.tensor([1.0, 2.0], requires_grad: true)
w.on_gradient { |gradient| gradient * 10 }
(w * w).sum.backward
expect "gradient", [w.grad.to_a, w.requires_grad?, MindTorch.no_grad { (w * 2).requires_grad? }], [[20, 40], true, false]

expect "requires_grad of what creates", [true, false].map { |wanted| MindTorch.zeros([2], requires_grad: wanted).requires_grad? }, [true, false]
expect "requires_grad of what does not", failing { MindTorch.add(w, w, requires_grad: true) },
       "TypeError: add() got an unexpected keyword argument 'requires_grad'"

thrown = MindTorch.tensor([1.0], requires_grad: true)
thrown.on_gradient { throw :out }
expect "hooks that throw", catch(:out) { failing { thrown.sum.backward } }, "RuntimeError: a hook left its block without a value"

# Lists of wrong elements: nothing is kept of the right lists before them.
def resident = File.read("/proc/self/status")[/VmRSS:\s*(\d+)/, 1].to_i
long = [1.0] * 100_000
refused = -> { MindTorch.tensor_from_doubles(long, ["a"], MindTorch::MT_FLOAT64) rescue $!.class }
expect "wrong sizes", refused.call, TypeError
first = resident
200.times { refused.call }
expect "memory of refused lists", resident - first < 50_000, true

# Without memory for its arguments a call fails, and the next one works.
def with_little_memory
  before = Process.getrlimit(:AS)
  size = File.read("/proc/self/status")[/VmSize:\s*(\d+)/, 1].to_i
  Process.setrlimit(:AS, size * 1024 + 60_000_000, before[1])
  yield
ensure
  Process.setrlimit(:AS, *before)
end
list = Array.new(10_000_000, 1) # of the vector's capacities, 67 and 134 MB are too large
expect "no memory", with_little_memory { failing { x.sum(list) } }, "RuntimeError: std::bad_alloc"
expect "no memory for names", with_little_memory { failing { x.sum(dim: list) } }, "RuntimeError: std::bad_alloc"
expect "afterwards", x.sum.item, 10.0
list = nil

# Scopes and closing.
made = kept = nil
before = MindTorch.allocator_get_stats.allocated_bytes
result = MindTorch.scope do
  made = MindTorch.ones([1_000_000])
  kept = made + 1
  MindTorch.scope { made * 2 }
  { sum: kept.sum, list: [kept] }
end
expect "scope", [made.closed?, kept.closed?, result[:sum].item], [true, false, 2_000_000.0]
kept.close
kept.close
expect "memory of a scope", MindTorch.allocator_get_stats.allocated_bytes - before < 100_000, true
expect "closed", [failing { kept + 1 }, failing { MindTorch.tensor_sizes(kept) }, failing { MindTorch.cat([kept]) }, failing { kept.item }],
       ["ValueError: this MindTorch::Tensor is closed"] * 4
expect "closed text", kept.inspect, "#<MindTorch::Tensor closed>"
failed_in = nil
begin
  MindTorch.scope { failed_in = MindTorch.ones([2]); raise "out" }
rescue RuntimeError
  expect "scope that raises", failed_in.closed?, true
end

# Threads: long calls leave the interpreter to others.
# Whether another thread goes on during one call, which has more work until it is long enough to see.
def others_run_in?(sizes)
  ticks, stop = 0, false
  ticker = Thread.new { (ticks += 1; sleep 0.001) until stop }
  sleep 0.001 until ticks > 0
  sizes.any? do |size|
    work = yield size
    before = ticks
    work.call
    ticks - before >= 3
  end
ensure
  stop = true
  ticker.join
end

multiply = lambda do |size|
  big = MindTorch.rand([size, size])
  -> { big.mm(big) }
end
expect "mm leaves the interpreter", others_run_in?([1024, 2048, 4096, 8192], &multiply), true
go_back = lambda do |size|
  leaf = MindTorch.rand([size, size])
  leaf.requires_grad = true
  loss = leaf.mm(leaf).mm(leaf).mm(leaf).sum
  -> { loss.backward }
end
expect "backward leaves the interpreter", others_run_in?([512, 1024, 2048, 4096], &go_back), true
leaf = MindTorch.rand([256, 256])
leaf.requires_grad = true
seen = 0
leaf.on_gradient { |gradient| seen += gradient.numel; nil }
leaf.mm(leaf).sum.backward
expect "hooks return to it", seen, 256 * 256
leaf.on_gradient { raise KeyError, "from the hook" }
expect "hooks that raise", failing { leaf.mm(leaf).sum.backward }, "KeyError: from the hook"

train = lambda do
  weight = MindTorch.zeros([8, 1])
  weight.requires_grad = true
  inputs = MindTorch.arange(800, dtype: :float32).reshape([100, 8]) / 800
  30.times do
    weight.grad = nil
    ((inputs.mm(weight) - 1)**2).mean.backward
    MindTorch.no_grad { weight.sub_(weight.grad, alpha: 0.1) }
  end
  weight.to_a
end
alone = train.call
expect "eight threads", Array.new(8) { Thread.new(&train) }.map(&:value), [alone] * 8

MindTorch.manual_seed(0)
expect "random numbers are torch's for the seed", MindTorch.rand([1]).item.round(6), 0.496257

# Files.
require "tmpdir"
Dir.mktmpdir do |folder|
  %i[safetensors torch].each do |format|
    MindTorch.save("#{folder}/saved", {weight: x, "bias" => ints}, format: format)
    loaded = MindTorch.load("#{folder}/saved")
    expect "#{format} keeps names and elements", loaded.sort.to_h.transform_values(&:to_a), {"bias" => ints.to_a, "weight" => x.to_a}
  end
  expect "an absent file", failing { MindTorch.load("#{folder}/absent") }[/\A\w+: unable to open file|No such file/],
         "RuntimeError: unable to open file"
end
written = ENV.fetch("MINDTORCH_TORCH_CHECKPOINT", "") # by tests/languages/torch_checkpoint.py
unless written.empty?
  loaded = MindTorch.load(written)
  expect "a checkpoint of real torch", loaded.keys.sort, %w[half model.bias model.weight]
  expect "its elements", loaded.values_at("model.weight", "half").map(&:to_a), [[[0, 1, 2], [3, 4, 5]], [1.5, -2]]
end

exit 1 if $failed
puts "as expected"
