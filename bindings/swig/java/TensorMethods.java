package org.mindtorch;

import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;

/** The methods of {@link Tensor}. */
public abstract class TensorMethods extends Handle {
  private static final int SHOWN = 1000;  // the largest number of elements that toString shows in full

  TensorMethods(long address, boolean isOwner, LongConsumer release) {
    super(address, isOwner, release);
  }

  // ---- creation: a copy of the elements, with these sizes; one dimension without sizes ----

  public static Tensor of(double[] elements, long... sizes) {
    return create(elements, elements.length, DType.FLOAT64, sizes);
  }

  public static Tensor of(float[] elements, long... sizes) {
    return create(elements, elements.length, DType.FLOAT32, sizes);
  }

  public static Tensor of(long[] elements, long... sizes) {
    return create(elements, elements.length, DType.INT64, sizes);
  }

  public static Tensor of(int[] elements, long... sizes) {
    return create(elements, elements.length, DType.INT32, sizes);
  }

  public static Tensor of(boolean[] elements, long... sizes) {
    return create(elements, elements.length, DType.BOOL, sizes);
  }

  /** Nested arrays of a primitive type, with their sizes: {@code Tensor.of(new float[][] {{1, 2}, {3, 4}})}. */
  public static Tensor of(Object[] rows) {
    List<Integer> lengths = new ArrayList<>();
    Class<?> type = rows.getClass();
    Object first = rows;  // the first array of a dimension; null inside of an empty one
    while (type.isArray()) {
      lengths.add(first == null ? 0 : Array.getLength(first));
      first = first instanceof Object[] && Array.getLength(first) > 0 ? ((Object[]) first)[0] : null;
      type = type.getComponentType();
    }
    DType dtype = type == double.class ? DType.FLOAT64 : type == float.class ? DType.FLOAT32 : type == long.class ? DType.INT64
        : type == int.class ? DType.INT32 : type == boolean.class ? DType.BOOL : null;
    if (dtype == null) throw new MindTorchException("TypeError", "a tensor has no elements of " + type.getName());
    long[] sizes = lengths.stream().mapToLong(Integer::longValue).toArray();
    int count = Arrays.stream(sizes).mapToInt(Math::toIntExact).reduce(1, Math::multiplyExact);
    Object elements = Array.newInstance(type, count);
    copy(rows, sizes, 0, elements, 0);
    return create(elements, count, dtype, sizes);
  }

  /** Appends the elements of an array of the dimension, and returns how many there are then. */
  private static int copy(Object array, long[] sizes, int dim, Object target, int at) {
    if (array == null) throw new NullPointerException("an array is null");
    if (Array.getLength(array) != sizes[dim]) {
      throw new MindTorchException("ValueError", "an array of dimension " + dim + " has " + Array.getLength(array) + " elements, the first " + sizes[dim]);
    }
    if (dim == sizes.length - 1) {
      System.arraycopy(array, 0, target, at, (int) sizes[dim]);
      return at + (int) sizes[dim];
    }
    for (Object row : (Object[]) array) at = copy(row, sizes, dim + 1, target, at);
    return at;
  }

  /** Whole numbers give an int64 tensor, others a float32 one. */
  public static Tensor of(List<? extends Number> elements, long... sizes) {
    boolean isWhole = !elements.isEmpty() && elements.stream().allMatch(item -> item instanceof Long || item instanceof Integer);
    if (isWhole) return of(elements.stream().mapToLong(Number::longValue).toArray(), sizes);
    float[] list = new float[elements.size()];
    for (int i = 0; i < list.length; ++i) list[i] = elements.get(i).floatValue();
    return of(list, sizes);
  }

  /**
   * The remaining bytes of the buffer: without a copy if it is direct and not read-only, and then the tensor and the buffer share the
   * memory.
   */
  public static Tensor of(ByteBuffer buffer, DType dtype, long... sizes) {
    long width = capi.mt_dtype_size(dtype.number());
    long[] shape = sizes.length == 0 ? new long[] {buffer.remaining() / width} : sizes;
    BigInteger bytes = BigInteger.valueOf(width);
    for (long size : shape) bytes = bytes.multiply(BigInteger.valueOf(size));
    if (!bytes.equals(BigInteger.valueOf(buffer.remaining()))) {
      throw new MindTorchException("ValueError", "the sizes require " + bytes + " bytes, and there are " + buffer.remaining());
    }
    if (buffer.isDirect() && !buffer.isReadOnly()) {
      return new Tensor(capiJNI.wrap(buffer, buffer.position(), dtype.number(), shape), true);
    }
    Tensor made = Operator.of("empty").with("dtype", dtype).apply((Object) shape);
    made.buffer().put(buffer.duplicate());
    return made;
  }

  private static Tensor create(Object array, int length, DType dtype, long[] sizes) {
    return new Tensor(capiJNI.create(array, dtype.number(), sizes.length == 0 ? new long[] {length} : sizes), true);
  }

  // ---- properties ----

  public long[] shape() {
    Ints list = capi.tensor_sizes(self());
    long[] sizes = new long[list.size()];
    for (int i = 0; i < sizes.length; ++i) sizes[i] = list.get(i);
    list.delete();
    return sizes;
  }

  public DType dtype() {
    return DType.of(info().getDtype());
  }

  public long numel() {
    return info().getNumel();
  }

  public boolean requiresGrad() {
    return (info().getFlags() & capiConstants.MT_TENSOR_REQUIRES_GRAD) != 0;
  }

  private mt_tensor_info info() {
    return capi.tensor_get_info(self());
  }

  // ---- elements, in row-major order ----

  public double[] toDoubles() {
    double[] array = new double[Math.toIntExact(numel())];
    read(array, DType.FLOAT64);
    return array;
  }

  public float[] toFloats() {
    float[] array = new float[Math.toIntExact(numel())];
    read(array, DType.FLOAT32);
    return array;
  }

  public long[] toLongs() {
    long[] array = new long[Math.toIntExact(numel())];
    read(array, DType.INT64);
    return array;
  }

  public int[] toInts() {
    int[] array = new int[Math.toIntExact(numel())];
    read(array, DType.INT32);
    return array;
  }

  public boolean[] toBooleans() {
    boolean[] array = new boolean[Math.toIntExact(numel())];
    read(array, DType.BOOL);
    return array;
  }

  /** Writes the elements to the start of an array, which has room for them. */
  public void copyTo(double[] target) {
    copyTo(target, target.length, DType.FLOAT64);
  }

  public void copyTo(float[] target) {
    copyTo(target, target.length, DType.FLOAT32);
  }

  public void copyTo(long[] target) {
    copyTo(target, target.length, DType.INT64);
  }

  public void copyTo(int[] target) {
    copyTo(target, target.length, DType.INT32);
  }

  private void copyTo(Object target, int room, DType dtype) {
    long numel = numel();
    if (numel > room) {
      throw new MindTorchException("ValueError", "the tensor has " + numel + " elements, and there is room for " + room);
    }
    read(target, dtype);
  }

  private void read(Object target, DType dtype) {
    capiJNI.read(address(), target, dtype.number());
    // The collector must not release the tensor during the call.
    Reference.reachabilityFence(this);
  }

  /**
   * Nested lists of Doubles, Longs (BigIntegers beyond their range) or Booleans, one level for each dimension; of a tensor without
   * dimensions, its number. Of complex numbers, lists of their two parts.
   */
  public Object toList() {
    return toList(false);
  }

  /** As toList; as shown, elements narrower than a double have no more digits than their own. */
  Object toList(boolean isShown) {
    DType dtype = dtype();
    if (dtype.isComplex()) return apply("detach").apply("resolve_conj").apply("view_as_real").toList(isShown);
    List<Object> list = new ArrayList<>();
    if (dtype == DType.BOOL) {
      for (boolean element : toBooleans()) list.add(element);
    } else if (dtype == DType.UINT64) {
      for (long element : toLongs()) list.add(Operator.unsigned(element));
    } else if (dtype.isInteger()) {
      for (long element : toLongs()) list.add(element);
    } else if (isShown && dtype != DType.FLOAT64) {
      for (float element : toFloats()) list.add(element);
    } else {
      for (double element : toDoubles()) list.add(element);
    }
    long[] shape = shape();
    for (int dim = shape.length - 1; dim > 0; --dim) {
      List<Object> rows = new ArrayList<>();
      int size = (int) shape[dim];
      int count = Math.toIntExact(Arrays.stream(shape, 0, dim).reduce(1, Math::multiplyExact));
      for (int i = 0; i < count; ++i) rows.add(new ArrayList<>(list.subList(i * size, (i + 1) * size)));
      list = rows;
    }
    return shape.length == 0 ? list.get(0) : list;
  }

  /** The number of a tensor with one element. */
  public double item() {
    return capi.tensor_item(self());
  }

  /** The tensor's own memory, in the machine's byte order; it stays valid as long as the buffer is in use. */
  public ByteBuffer buffer() {
    ByteBuffer buffer = capiJNI.buffer(address()).order(ByteOrder.nativeOrder());
    long shared = capiJNI.share(address());
    Reference.reachabilityFence(this);
    onceCleaned(buffer, () -> capiJNI.delete_Tensor(shared));
    return buffer;
  }

  // ---- operators: of a tensor or a number ----

  /** Any operator, with this tensor as its first argument: {@code x.apply("softmax", 1)}. The arguments select the overload. */
  public Tensor apply(String name, Object... arguments) {
    return (Tensor) call(name, arguments);
  }

  /** As apply, for operators with other or several results. */
  public Object call(String name, Object... arguments) {
    Object[] all = new Object[arguments.length + 1];
    all[0] = this;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return MindTorch.call(name, "", all);
  }

  public Tensor add(Object other) {
    return apply("add", other);
  }

  public Tensor sub(Object other) {
    return apply("sub", other);
  }

  public Tensor mul(Object other) {
    return apply("mul", other);
  }

  public Tensor div(Object other) {
    return apply("div", other);
  }

  public Tensor pow(Object exponent) {
    return apply("pow", exponent);
  }

  public Tensor neg() {
    return apply("neg");
  }

  public Tensor matmul(Tensor other) {
    return apply("matmul", other);
  }

  /** Element by element, as lt, gt, le, ge and ne do through {@link #apply}. */
  public Tensor eq(Object other) {
    return apply("eq", other);
  }

  /** Whether sizes and all elements are equal. ({@code equals} asks whether it is the same object, as mutable things do in Java.) */
  public boolean isEqual(Tensor other) {
    return Arrays.equals(shape(), other.shape()) && (Boolean) call("equal", other);
  }

  /** Whether all elements are nearly equal: within {@code atol + rtol * |other|}. */
  public boolean isClose(Tensor other, double rtol, double atol) {
    return (Boolean) call("allclose", other, rtol, atol);
  }

  // ---- gradients ----

  public Tensor requiresGrad(boolean wanted) {
    capi.tensor_set_requires_grad(self(), wanted ? 1 : 0);
    return self();
  }

  /** The accumulated gradient, or null. */
  public Tensor grad() {
    return capi.tensor_grad(self());
  }

  public void setGrad(Tensor gradient) {
    capi.tensor_set_grad(self(), gradient);
  }

  /** Accumulates gradients in the leaves; of a tensor with one element. */
  public void backward() {
    capi.backward(self());
  }

  /** See {@link MindTorch#onGradient}. */
  public long onGradient(UnaryOperator<Tensor> function) {
    return MindTorch.onGradient(self(), function);
  }

  // ---- text ----

  @Override
  public String toString() {
    if (isClosed()) return "Tensor closed";
    mt_tensor_info about = info();
    String kind = "Tensor " + capi.mt_dtype_name(about.getDtype()) + " " + Arrays.toString(shape()) + (requiresGrad() ? " requires grad" : "");
    if (about.getDevice().getType() != capiConstants.MT_CPU || about.getLayout() != capiConstants.MT_STRIDED) return kind;
    return kind + ": " + text(self(), about.getNumel() > SHOWN);
  }

  /** Of long dimensions, if shortened, the ends only. */
  private static String text(Tensor tensor, boolean isShortened) {
    long[] shape = tensor.shape();
    if (!isShortened || shape.length == 0) return tensor.toList(true).toString();
    List<String> parts = new ArrayList<>();
    for (long i = 0; i < shape[0]; ++i) {
      if (shape[0] > 6 && i == 3) {
        parts.add("...");
        i = shape[0] - 3;
      }
      try (Tensor part = tensor.apply("select", 0, i)) {
        parts.add(text(part, true));
      }
    }
    return parts.toString();
  }

  private Tensor self() {
    return (Tensor) this;
  }
}
