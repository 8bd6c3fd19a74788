# Tensors as Ruby's objects: operators, indices, conversions.
module MindTorch
  class Tensor
    # map, each_slice, with_index and so on, of the rows. What is also an operator (sum, max, sort, select, take, ...) is the operator.
    include Enumerable
    Enumerable.instance_methods.each do |name|
      next unless MindTorch.operator_exists(name.to_s)
      define_method(name) { |*arguments, **named| call(name, *arguments, **named) }
    end

    # How String#unpack reads the elements of a dtype; others are read as doubles.
    PACKED = { float32: "f*", float64: "d*", int64: "q*", int32: "l*", int16: "s*", int8: "c*", uint64: "Q*", uint32: "L*", uint16: "S*",
               uint8: "C*", bool: "C*" }.freeze
    SHOWN = 1000 # the largest number of elements that inspect shows in full
    private_constant :PACKED, :SHOWN

    def shape = MindTorch.tensor_sizes(self)
    def ndim = shape.size
    def numel = MindTorch.tensor_get_info(self).numel
    def dtype = MindTorch.mt_dtype_name(MindTorch.tensor_get_info(self).dtype).to_sym
    def grad = MindTorch.tensor_grad(self)
    def backward = MindTorch.backward(self)
    def requires_grad? = MindTorch.tensor_get_info(self).flags.anybits?(MT_TENSOR_REQUIRES_GRAD)
    def to_f = item.to_f
    def to_i = item.to_i

    def grad=(gradient)
      MindTorch.tensor_set_grad(self, gradient)
    end

    def requires_grad=(wanted)
      MindTorch.tensor_set_requires_grad(self, wanted ? 1 : 0)
    end

    def on_gradient(&block) = MindTorch.on_gradient(self, &block)

    # The elements as a packed string, in row-major order.
    def to_bytes = MindTorch.tensor_to_bytes(self)

    # The elements as nested arrays; of a tensor without dimensions, its number.
    def to_a
      list = PACKED.key?(dtype) ? to_bytes.unpack(PACKED[dtype]) : MindTorch.tensor_to_doubles(self)
      list = list.map { |byte| byte != 0 } if dtype == :bool
      sizes = shape
      (sizes.size - 1).downto(1) do |dim|
        size, rows = sizes[dim], sizes.take(dim).reduce(:*)
        list = Array.new(rows) { |row| list[row * size, size] }
      end
      sizes.empty? ? list[0] : list
    end

    # The rows: tensors that share this one's memory.
    def each
      return to_enum(:each) { shape[0] } unless block_given?
      raise TypeError, "a tensor without dimensions has no rows" if ndim.zero?
      shape[0].times { |index| yield call("select", 0, index) }
      self
    end

    def call(name, *arguments, **named) = MindTorch.call(name, "", self, *arguments, **named)

    def +(other) = call("add", other)
    def -(other) = call("sub", other)
    def *(other) = call("mul", other)
    def /(other) = call("div", other)
    def %(other) = call("remainder", other)
    def **(other) = call("pow", other)
    def -@ = call("neg")
    def +@ = self
    def &(other) = call("bitwise_and", other)
    def |(other) = call("bitwise_or", other)
    def ^(other) = call("bitwise_xor", other)
    def ~ = call("bitwise_not")
    def <(other) = call("lt", other)
    def <=(other) = call("le", other)
    def >(other) = call("gt", other)
    def >=(other) = call("ge", other)

    # Whether sizes and all elements are equal; `eq` and `ne` compare element by element.
    def ==(other) = equal?(other) || (other.is_a?(Tensor) && shape == other.shape && call("eq", other).call("all").item)

    def clone(**) = call("clone")
    alias dup clone

    # Indices: integers, ranges (also with a step: (0..) % 2), nil for a new dimension, tensors, one for each dimension.
    def [](*indices)
      view, positions = view_of(indices)
      positions.empty? ? view : view.call("index", positions)
    end

    def []=(*indices, value)
      view, positions = view_of(indices)
      value = MindTorch.call("full", "", [], value, dtype: dtype) unless value.is_a?(Tensor)
      if positions.empty? then view.call("copy_", value)
      else view.call("index_put_", positions, value)
      end
    end

    def inspect
      return "#<MindTorch::Tensor closed>" if closed?
      info = MindTorch.tensor_get_info(self)
      kind = "#{dtype} #{shape}#{", requires_grad" if requires_grad?}"
      return "#<MindTorch::Tensor #{kind}>" unless info.device.type == MT_CPU && info.layout == MT_STRIDED
      "#<MindTorch::Tensor #{kind}: #{shown(numel > SHOWN)}>"
    end

    alias to_s inspect

    def respond_to_missing?(name, include_private = false) = MindTorch.operator_exists(name.to_s) || super

    # Every operator is a method: tensor.relu, tensor.sum([0], keepdim: true). The arguments select the overload.
    def method_missing(name, *arguments, **named)
      return call(name, *arguments, **named) if MindTorch.operator_exists(name.to_s)
      # Ruby's own text has all that inspect shows; the caller's line is the one with the fault.
      error = NoMethodError.new("undefined method `#{name}' for a MindTorch::Tensor", name, arguments, receiver: self)
      error.set_backtrace(caller)
      raise error
    end

    protected

    # The text of the elements, of long dimensions only the ends.
    def shown(is_shortened)
      return to_a.to_s if ndim.zero? || !is_shortened || numel.zero?
      size = shape[0]
      places = size > 6 ? [0, 1, 2, nil, size - 3, size - 2, size - 1] : (0...size).to_a
      "[#{places.map { |place| place ? call("select", 0, place).shown(true) : "..." }.join(", ")}]"
    end

    private

    # The view that integers and ranges select, and the lists of positions by which tensors then index it.
    def view_of(indices)
      view, dim, positions = self, 0, []
      indices.each do |index|
        case index
        when Integer then view = view.call("select", dim, index)
        when Range, Enumerator::ArithmeticSequence
          view = view.call("slice", dim, *bounds(index))
          dim += 1
        when nil
          view = view.call("unsqueeze", dim)
          dim += 1
        when Tensor, Array
          positions[dim] = index.is_a?(Array) ? MindTorch.tensor(index) : index
          dim += 1
        else raise TypeError, "#{index.class} is not an index of a tensor"
        end
      end
      [view, positions]
    end

    def bounds(range)
      first, last, step = range.begin || 0, range.end, range.is_a?(Range) ? 1 : range.step
      last = last == -1 ? nil : last + 1 if last && !range.exclude_end?
      [first, last, step]
    end
  end
end
