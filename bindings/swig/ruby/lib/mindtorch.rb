# The C ABI of MindTorch as SWIG wraps it, in Ruby's manner: operators as methods, arrays, blocks, ranges.
require_relative "mindtorch/capi"
require_relative "mindtorch/tensor"

module MindTorch
  define_handles
  private_class_method :define_handles

  # The dtypes by name: MindTorch.dtype(:float32)
  DTYPES = (0...64).filter_map { |number| (name = mt_dtype_name(number)) && [name.to_sym, number] }.to_h.freeze

  class << self
    def dtype(name)
      return name if name.is_a?(Integer)
      DTYPES.fetch(name.to_sym) { raise ArgumentError, "there is no dtype #{name}; there are #{DTYPES.keys.join(", ")}" }
    end

    # A tensor of (nested) arrays of numbers, or of one number.
    def tensor(values, dtype: nil, requires_grad: false)
      sizes = sizes_of(values)
      list = values.is_a?(Array) ? values.flatten : [values]
      raise ArgumentError, "the arrays have different sizes" unless list.size == sizes.reduce(1, :*)
      is_bool = !list.empty? && list.all? { |value| value == true || value == false }
      list = list.map { |value| value ? 1 : 0 } if is_bool
      dtype ||= is_bool ? :bool : !list.empty? && list.all?(Integer) ? :int64 : :float32
      number = dtype(dtype)
      made = number == MT_INT64 ? tensor_from_bytes(list.pack("q*"), sizes, number) : tensor_from_doubles(list, sizes, number)
      made.requires_grad = true if requires_grad
      made
    end

    # A tensor of a string of packed numbers: MindTorch.from_bytes([1, 2].pack("f*"), [2], :float32)
    def from_bytes(bytes, sizes, dtype) = tensor_from_bytes(bytes, sizes, dtype(dtype))

    # Calls the block with each gradient of the tensor; a tensor that it returns replaces the gradient. Returns the hook's number for
    # tensor_remove_hook. The hook lives as long as the tensor or a graph that it is in.
    def on_gradient(tensor, &block)
      add_gradient_hook(tensor, block)
    end

    # Closes the tensors that operators returned to this thread in the block, except those in the block's value.
    def scope
      outer = Thread.current[:mindtorch_scope]
      made = Thread.current[:mindtorch_scope] = []
      kept = yield
      keep = {}.compare_by_identity
      each_tensor(kept) { |tensor| keep[tensor] = true }
      kept
    ensure
      Thread.current[:mindtorch_scope] = outer
      made&.each do |tensor|
        if !keep&.key?(tensor) then tensor.close
        else outer&.push(tensor)
        end
      end
    end

    # The tensors of a file of torch, safetensors, NumPy or GGUF: a hash by name.
    def load(path)
      found = load_tensors(path.to_s)
      (0...found.size).to_h { |index| [found.name(index), found.get(index)] }
    end

    # Saves a hash of tensors, in the format of safetensors or (format: :torch) torch.
    def save(path, tensors, format: :safetensors)
      raise ArgumentError, "a format is :safetensors or :torch, not #{format}" unless %i[safetensors torch].include?(format)
      named = NamedTensors.new
      tensors.each { |name, tensor| named.add(name.to_s, tensor) }
      named.save(path.to_s, format == :torch)
    end

    # Random numbers are torch's for the seed.
    def manual_seed(seed) = generator_seed(generator_default, seed)

    # Runs the block without recording gradients.
    def no_grad
      before = mode_get(MT_MODE_GRAD)
      mode_set(MT_MODE_GRAD, 0)
      yield
    ensure
      mode_set(MT_MODE_GRAD, before)
    end

    # Every operator is a function: MindTorch.cat([a, b], dim: 1). The arguments select the overload. Those that create tensors also take
    # requires_grad, as torch's do.
    def respond_to_missing?(name, include_private = false) = operator_exists(name.to_s) || super

    def method_missing(name, *arguments, **named)
      return super unless operator_exists(name.to_s)
      return call(name, "", *arguments, **named) unless named.key?(:requires_grad) && creates?(name.to_s)
      wanted = named.delete(:requires_grad)
      made = call(name, "", *arguments, **named)
      made.requires_grad = true if wanted
      made
    end

    private

    def sizes_of(values) = values.is_a?(Array) ? [values.size, *(sizes_of(values[0]) unless values.empty?)] : []

    # Whether it is an operator that creates tensors: pinned memory is a choice of theirs alone.
    def creates?(name)
      overloads = (0...overload_count(name)).map { |index| op_find(name, overload_name(name, index)) }
      overloads.any? { |overload| op_get_info(overload).schema.include?("pin_memory") }
    end

    def each_tensor(value, &block)
      case value
      when Tensor then yield value
      when Array then value.each { |item| each_tensor(item, &block) }
      when Hash then value.each_value { |item| each_tensor(item, &block) }
      end
    end
  end
end
