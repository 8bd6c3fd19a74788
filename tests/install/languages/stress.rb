# The collector runs at every allocation: it must find all that a call, a hook and a scope hold. Values are torch 2.13's.
require "mindtorch"

def expect(found, wanted)
  raise "#{found.inspect} instead of #{wanted.inspect}" unless found == wanted
end

GC.stress = true
x = MindTorch.tensor([[1.0, 2.0], [3.0, 4.0]])
20.times { expect x.max(1).map(&:to_a), [[2, 4], [1, 1]] }
10.times { expect MindTorch.split(x, 1).map(&:to_a), [[[1, 2]], [[3, 4]]] }
expect x.sort(1, descending: true).map(&:to_a), [[[2, 1], [4, 3]], [[1, 0], [1, 0]]]

w = MindTorch.tensor([1.0, 2.0], requires_grad: true)
w.on_gradient { |gradient| gradient * 10 }
(w * w).sum.backward
expect w.grad.to_a, [20, 40]
w.on_gradient { raise KeyError, "from the hook" }
message = begin
  (w * w).sum.backward
rescue MindTorch::Error => e
  "#{e.kind}: #{e.message}"
end
expect message, "KeyError: from the hook"
w.on_gradient { throw :out }
thrown = catch(:out) do
  (w * 1).sum.backward
rescue MindTorch::Error => e
  e.kind
end
expect thrown, "KeyError" # the first hook's

z = MindTorch.tensor([1.0], requires_grad: true)
z.on_gradient { throw :out }
expect catch(:out) { z.sum.backward rescue $!.kind }, "RuntimeError"

expect MindTorch.call("add", "", x, x, "alpha" => 2).to_a, [[3, 6], [9, 12]]
expect (2.5 * MindTorch.tensor([1])).to_a, [2.5]
y = MindTorch.arange(24).reshape([4, 6])
expect y[1..2, 0...2].to_a, [[6, 7], [12, 13]]
expect y[y > 20].to_a, [21, 22, 23]
expect MindTorch.scope { made = MindTorch.ones([10]); { list: [made + 1] } }[:list][0].sum.item, 20.0
expect MindTorch.from_bytes([1.5, 2.5].pack("d*"), [2], :float64).to_bytes.unpack("d*"), [1.5, 2.5]
puts "as expected"
