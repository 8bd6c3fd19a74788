package org.mindtorch;

import java.lang.ref.Reference;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A call of an operator with arguments by name: {@code Operator.of("sum").with("keepdim", true).apply(x, 0)}. The arguments select the
 * overload; {@link #overload} names it instead. An operator may be called many times, by one thread at a time.
 */
public final class Operator {
  private final String name;
  private String overload = "";
  private final Map<String, Object> named = new LinkedHashMap<>();

  private Operator(String name) {
    this.name = name;
  }

  /** The operator of this name; "aten::" may be left out. */
  public static Operator of(String name) {
    return new Operator(name);
  }

  /** Calls this overload, such as "Tensor" or "dim_IntList". */
  public Operator overload(String overload) {
    this.overload = overload;
    return this;
  }

  /** Passes an argument by name. */
  public Operator with(String argument, Object value) {
    named.put(argument, value);
    return this;
  }

  /** One result comes as itself, several, or a list of tensors, as an array; a complex number as its real and imaginary part. */
  public Object call(Object... arguments) {
    return run(name, overload, arguments, named);
  }

  /** As call, for the many operators with one tensor as their result. */
  public Tensor apply(Object... arguments) {
    return (Tensor) call(arguments);
  }

  static Object run(String name, String overload, Object[] arguments, Map<String, Object> named) {
    Objects.requireNonNull(name, "the operator's name is null");
    Objects.requireNonNull(overload, "the overload's name is null");
    int count = arguments.length + named.size();
    Packed packed = new Packed(count);
    for (Object argument : arguments) packed.add(argument);
    String[] names = named.isEmpty() ? null : named.keySet().toArray(new String[0]);
    for (Object argument : named.values()) packed.add(argument);
    long[] results = capiJNI.call(name, overload, packed.kinds, packed.bits, packed.objects, names);
    // The collector must not release an argument during the call.
    Reference.reachabilityFence(arguments);
    Reference.reachabilityFence(named);
    return unpack(results);
  }

  private static Object unpack(long[] results) {
    if (results.length > 0 && results.length == size(results, 0)) return unpack(results, 0);
    List<Object> found = new ArrayList<>();
    int size;
    for (int i = 0; i < results.length; i += size) {
      found.add(unpack(results, i));
      size = size(results, i);
    }
    return found.toArray();
  }

  private static int size(long[] results, int place) {
    switch ((char) results[place]) {
      case 'T': return 2 + (int) results[place + 1];
      case 'c': return 3;
      case 's': return 2 + (int) ((results[place + 1] + 7) / 8);
      default: return 2;
    }
  }

  private static Object unpack(long[] results, int place) {
    long bits = results[place + 1];
    switch ((char) results[place]) {
      case 'n': return null;
      case 'b': return bits != 0;
      case 'd': return Double.longBitsToDouble(bits);
      case 'u': return unsigned(bits);
      case 'c': return new double[] {Double.longBitsToDouble(bits), Double.longBitsToDouble(results[place + 2])};
      case 's': return text(results, place);
      case 'v': return device(bits);
      case 't': return tensor(bits);
      case 'T':
        Tensor[] list = new Tensor[(int) bits];
        for (int i = 0; i < list.length; ++i) list[i] = tensor(results[place + 2 + i]);
        return list;
      default: return bits;
    }
  }

  /** A Long, or a BigInteger for numbers beyond its range. */
  static Number unsigned(long bits) {
    if (bits >= 0) return bits;
    return new BigInteger(Long.toUnsignedString(bits));
  }

  private static String text(long[] results, int place) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * (size(results, place) - 2)).order(ByteOrder.nativeOrder());
    bytes.asLongBuffer().put(results, place + 2, size(results, place) - 2);
    return new String(bytes.array(), 0, (int) results[place + 1], StandardCharsets.UTF_8);
  }

  private static mt_device device(long bits) {
    mt_device device = new mt_device();
    device.setType((int) (bits >> 32));
    device.setIndex((int) bits);
    return device;
  }

  private static Tensor tensor(long address) {
    return address == 0 ? null : new Tensor(address, true);
  }

  /** Arguments as java_calls.h reads them. */
  private static final class Packed {
    final byte[] kinds;
    final long[] bits;
    Object[] objects;
    private int size;

    Packed(int count) {
      kinds = new byte[count];
      bits = new long[count];
    }

    void add(Object argument) {
      if (argument == null) put('n', 0);
      else if (argument instanceof Tensor) put('t', ((Tensor) argument).address());
      else if (argument instanceof Boolean) put('b', (Boolean) argument ? 1 : 0);
      else if (argument instanceof Float || argument instanceof Double) put('d', Double.doubleToRawLongBits(((Number) argument).doubleValue()));
      else if (argument instanceof Number) put('i', ((Number) argument).longValue());
      else if (argument instanceof DType) put('i', ((DType) argument).number());
      else if (argument instanceof String) put('s', argument);
      else if (argument instanceof long[]) put('I', argument);
      else if (argument instanceof double[]) put('D', argument);
      else if (argument instanceof int[]) put('I', Arrays.stream((int[]) argument).asLongStream().toArray());
      else if (argument instanceof Generator) put('g', ((Generator) argument).address());
      else if (argument instanceof mt_device) put('v', (long) ((mt_device) argument).getType() << 32 | ((mt_device) argument).getIndex() & 0xffffffffL);
      else if (argument instanceof Object[]) addList(Arrays.asList((Object[]) argument));
      else if (argument instanceof Collection) addList((Collection<?>) argument);
      else throw new IllegalArgumentException("an operator has no argument of " + argument.getClass());
    }

    private void addList(Collection<?> list) {
      boolean isWhole = true;
      boolean isNumeric = true;
      for (Object item : list) {
        isWhole &= item instanceof Long || item instanceof Integer || item instanceof Short || item instanceof Byte;
        isNumeric &= item instanceof Number;
      }
      if (isWhole) put('I', list.stream().mapToLong(item -> ((Number) item).longValue()).toArray());
      else if (isNumeric) put('D', list.stream().mapToDouble(item -> ((Number) item).doubleValue()).toArray());
      else put('T', list.stream().mapToLong(item -> item == null ? 0 : ((Tensor) item).address()).toArray());
    }

    private void put(char kind, long value) {
      kinds[size] = (byte) kind;
      bits[size++] = value;
    }

    private void put(char kind, Object object) {
      if (objects == null) objects = new Object[kinds.length];
      objects[size] = object;
      kinds[size++] = (byte) kind;
    }
  }
}
