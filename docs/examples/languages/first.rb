# An operator, a gradient and an error through MindTorch's module for Ruby.
require "mindtorch"

x = MindTorch.tensor([1.0, 2.0, 3.0], requires_grad: true)
y = MindTorch.tensor([4.0, 5.0, 6.0])
puts "sum #{(x + y).to_a.map(&:to_i).join(" ")}"

(x * x).sum.backward
puts "gradient #{x.grad.to_a.map(&:to_i).join(" ")}"

begin
  x + MindTorch.ones([2])
rescue MindTorch::Error => e
  puts "#{e.kind}: #{e.message}"
end
