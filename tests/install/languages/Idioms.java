// What a Java programmer expects of tensors. Values and texts are torch 2.13's where it has them.
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.mindtorch.DType;
import org.mindtorch.MindTorch;
import org.mindtorch.MindTorchException;
import org.mindtorch.NoGrad;
import org.mindtorch.Operator;
import org.mindtorch.Scope;
import org.mindtorch.Storage;
import org.mindtorch.Tensor;
import org.mindtorch.Values;
import org.mindtorch.capi;

public class Idioms {
  private static boolean hasFailed = false;

  static void expect(String what, Object found, Object wanted) {
    if (found.toString().equals(wanted.toString())) return;
    System.err.println(what + ": " + found + " instead of " + wanted);
    hasFailed = true;
  }

  static String failing(Runnable action) {
    try {
      action.run();
      return "nothing";
    } catch (MindTorchException error) {
      return error.kind() + ": " + error.getMessage();
    } catch (IllegalStateException | IllegalArgumentException error) {
      return error.getMessage();
    } catch (NullPointerException error) {
      return "NullPointerException: " + error.getMessage();
    }
  }

  static void operators() {
    Tensor x = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2);
    expect("arithmetic", x.mul(3).neg().add(2).add(x.div(2)).toList(), "[[-0.5, -3.0], [-5.5, -8.0]]");
    expect("powers", x.pow(2).toList() + " " + MindTorch.apply("pow", "", 2, x).toList(), "[[1.0, 4.0], [9.0, 16.0]] [[2.0, 4.0], [8.0, 16.0]]");
    expect("comparisons", x.apply("gt", 2).toList() + " " + x.eq(2).toList(), "[[false, false], [true, true]] [[false, true], [false, false]]");
    expect("product", x.matmul(x).toList(), "[[7.0, 10.0], [15.0, 22.0]]");
    expect("overloads", x.apply("sum").item() + " " + x.apply("sum", 0).toList() + " " + x.apply("max").item(), "10.0 [4.0, 6.0] 4.0");
    Object[] both = (Object[]) x.call("max", 1);
    expect("several results", both[0] + " " + both[1], "Tensor float32 [2]: [2.0, 4.0] Tensor int64 [2]: [1, 1]");
    expect("keywords", Operator.of("sum").with("keepdim", true).apply(x, new long[] {1}).toList(), "[[3.0], [7.0]]");
    expect("a map", x.apply("add", x, Map.of("alpha", 3)).toList(), "[[4.0, 8.0], [12.0, 16.0]]");
    expect("lists", MindTorch.apply("cat", "", List.of(x, x), 1).toList(), "[[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 3.0, 4.0]]");
    MindTorch.manualSeed(0);
    expect("random numbers are torch's for the seed", Math.round(MindTorch.apply("rand", "", 1).item() * 1e6), 496257);
    expect("dtypes", Operator.of("zeros").with("dtype", DType.INT16).apply(List.of(2)), "Tensor int16 [2]: [0, 0]");
    expect("a named overload", Operator.of("add").overload("Scalar").apply(x, 1).toList(), "[[2.0, 3.0], [4.0, 5.0]]");
    expect("equality", List.of(x.isEqual(x.apply("clone")), x.isEqual(x.add(1)), x.isClose(x.add(1e-7), 1e-5, 1e-8), x.equals(x.apply("clone"))),
        "[true, false, true, false]");
    expect("errors", failing(() -> x.add(Tensor.of(new float[3]))),
        "RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1");
    expect("what has a name only", failing(() -> MindTorch.apply("zeros", "", 2, 3)).split("\\.")[0],
        "TypeError: zeros() takes 1 positional argument(s) but 2 was/were given");
    expect("order", failing(() -> x.apply("add", MindTorch.named("alpha", 2), x)), "an argument by place follows one by name");
  }

  static void texts() {
    expect("text", Tensor.of(new float[] {1, 2, 3, 4}, 2, 2), "Tensor float32 [2, 2]: [[1.0, 2.0], [3.0, 4.0]]");
    expect("long text", MindTorch.apply("arange", "", 2000), "Tensor int64 [2000]: [0, 1, 2, ..., 1997, 1998, 1999]");
    expect("digits of a float", Tensor.of(new float[] {0.1f}) + " " + Tensor.of(new double[] {0.1}), "Tensor float32 [1]: [0.1] Tensor float64 [1]: [0.1]");
    expect("complex text", MindTorch.apply("complex", "", Tensor.of(new float[] {1.5f}), Tensor.of(new float[] {-2})),
        "Tensor complex64 [1]: [[1.5, -2.0]]");
    expect("no dimensions", MindTorch.apply("full", "", new long[0], 2.5), "Tensor float32 []: 2.5");
  }

  static void arrays() {
    expect("doubles", Arrays.toString(Tensor.of(new double[] {1, 2.5}).toDoubles()), "[1.0, 2.5]");
    expect("floats", Arrays.toString(Tensor.of(new float[] {1, 2.5f}).toFloats()), "[1.0, 2.5]");
    expect("longs", Arrays.toString(Tensor.of(new long[] {1, Long.MAX_VALUE}).toLongs()), "[1, 9223372036854775807]");
    expect("ints", Arrays.toString(Tensor.of(new int[] {1, 2}).toInts()), "[1, 2]");
    expect("booleans", Tensor.of(new boolean[] {true, false}), "Tensor bool [2]: [true, false]");
    expect("numbers", Tensor.of(List.of(1, 2)) + " " + Tensor.of(List.of(1.5, 2)), "Tensor int64 [2]: [1, 2] Tensor float32 [2]: [1.5, 2.0]");
    expect("nested arrays", Tensor.of(new float[][] {{1, 2}, {3, 4}}) + " " + Tensor.of(new long[][][] {{{1}, {2}}}) + " " + Tensor.of(new int[2][0]),
        "Tensor float32 [2, 2]: [[1.0, 2.0], [3.0, 4.0]] Tensor int64 [1, 2, 1]: [[[1], [2]]] Tensor int32 [2, 0]: [[], []]");
    expect("rows of other lengths", failing(() -> Tensor.of(new double[][] {{1, 2}, {3}})),
        "ValueError: an array of dimension 1 has 1 elements, the first 2");
    expect("no row", failing(() -> Tensor.of(new double[][] {null, {3}})), "NullPointerException: an array is null");
    expect("arrays of other things", failing(() -> Tensor.of(new String[] {"a"})), "TypeError: a tensor has no elements of java.lang.String");
    double[] target = new double[3];
    Tensor.of(new long[] {1, 2}).copyTo(target);
    expect("into an array", Arrays.toString(target), "[1.0, 2.0, 0.0]");
    expect("no room", failing(() -> Tensor.of(new long[4]).copyTo(target)), "ValueError: the tensor has 4 elements, and there is room for 3");
    expect("transposed", Arrays.toString(Tensor.of(new int[] {1, 2, 3, 4}, 2, 2).apply("t").toDoubles()), "[1.0, 3.0, 2.0, 4.0]");
    expect("empty", Tensor.of(new float[0]) + " " + Tensor.of(new float[0], 2, 0).toList(), "Tensor float32 [0]: [] [[], []]");
    expect("no rows", Tensor.of(new float[0], 0, 2) + " " + Tensor.of(new float[0], 2, 2, 0).toList(), "Tensor float32 [0, 2]: [] [[[], []], [[], []]]");
    expect("wrong sizes", failing(() -> Tensor.of(new float[3], 2, 2)), "ValueError: the sizes require 4 elements, and there are 3");

    ByteBuffer direct = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
    direct.putFloat(0, 7).putFloat(12, 8);
    Tensor shared = Tensor.of(direct, DType.FLOAT32, 2, 2);
    shared.apply("add_", 1);
    expect("a direct buffer is shared", shared.toList() + " " + direct.getFloat(12), "[[8.0, 1.0], [1.0, 9.0]] 9.0");
    Tensor copied = Tensor.of(ByteBuffer.wrap(new byte[] {1, 2, 3}), DType.INT8, 3);
    copied.buffer().put(0, (byte) 9);
    expect("a tensor's buffer", copied.toList(), "[9, 2, 3]");
    ByteBuffer outlives = Tensor.of(new double[] {1.5}).buffer();
    System.gc();
    expect("a buffer outlives its tensor", outlives.getDouble(0), "1.5");
    expect("a buffer without sizes", Tensor.of(direct, DType.FLOAT32) + " " + Tensor.of(ByteBuffer.wrap(new byte[] {1}), DType.INT8),
        "Tensor float32 [4]: [8.0, 1.0, 1.0, 9.0] Tensor int8 [1]: [1]");
    expect("a buffer of another size", failing(() -> Tensor.of(direct, DType.FLOAT32, 1L << 62, 4)) + ", " + failing(() -> Tensor.of(direct, DType.INT64, 3)),
        "ValueError: the sizes require 73786976294838206464 bytes, and there are 16, ValueError: the sizes require 24 bytes, and there are 16");
    expect("a size below zero", failing(() -> Tensor.of(direct, DType.FLOAT32, -2, -2)),
        "RuntimeError: Trying to create tensor with negative dimension -2: [-2, -2]");
    ByteBuffer odd = ByteBuffer.allocateDirect(3).put(0, (byte) 2).put(2, (byte) 255);
    expect("booleans of other bytes", Arrays.equals(Tensor.of(odd, DType.BOOL).toBooleans(), new boolean[] {true, false, true}), true);
    expect("no buffer", failing(() -> shared.apply("t").buffer()), "ValueError: a buffer requires a contiguous tensor on the CPU");
  }

  /** A file that is mapped for reading: to write to the memory would end the process. */
  static void readOnly() throws IOException {
    Path file = Files.createTempFile("mindtorch", ".bin");
    try {
      Files.write(file, new byte[] {1, 2, 3});
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        Tensor copied = Tensor.of(channel.map(FileChannel.MapMode.READ_ONLY, 0, 3), DType.INT8, 3);
        copied.apply("add_", 1);
        expect("a read-only buffer is copied", copied.toList(), "[2, 3, 4]");
      }
    } finally {
      Files.delete(file);
    }
  }

  static void nulls() {
    Tensor x = Tensor.of(new float[] {1});
    expect("null sizes", failing(() -> MindTorch.tensor(new double[] {1}, null, 6)), "NullPointerException: an array is null");
    expect("null elements", failing(() -> MindTorch.tensor(null, new long[] {1}, 6)), "NullPointerException: an array is null");
    expect("a null name", failing(() -> MindTorch.call(null, "", 1)), "NullPointerException: the operator's name is null");
    expect("a null overload", failing(() -> MindTorch.call("add", null, x, 1)), "NullPointerException: the overload's name is null");
    expect("a null argument's name", failing(() -> MindTorch.call("add", "", x, MindTorch.named(null, 1))), "NullPointerException: a string is null");
    expect("a null string", failing(() -> new Values().add_string(null)), "NullPointerException: a string is null");
  }

  /** Beyond U+FFFF Java's own form of UTF-8 differs. */
  static void unicode() throws IOException {
    Path folder = Files.createTempDirectory("mindtorch");
    Path file = folder.resolve("\u00e4\ud83d\ude00.bin");
    try {
      Files.write(file, new byte[8]);
      try (Storage storage = capi.storage_from_file(file.toString(), 0, 8)) {
        expect("a file's name", capi.storage_nbytes(storage), 8);
      }
      String missing = folder.resolve("\ud83d\ude01").toString();
      expect("a name in an error", failing(() -> capi.storage_from_file(missing, 0, 8)).contains(missing), true);
      expect("NUL in a name", failing(() -> capi.storage_from_file(file + "\0", 0, 8)), "ValueError: a string contains NUL");
    } finally {
      Files.delete(file);
      Files.delete(folder);
    }
  }

  static void kinds() {
    Tensor complex = MindTorch.apply("complex", "", Tensor.of(new double[] {1.5}), Tensor.of(new double[] {-2}));
    expect("complex numbers", complex.toList(), "[[1.5, -2.0]]");
    expect("a complex number", Arrays.toString((double[]) MindTorch.call("_local_scalar_dense", "", complex)), "[1.5, -2.0]");
    Tensor wide = Tensor.of(new long[] {-1, 7}).apply("to", DType.UINT64);
    expect("unsigned numbers", wide + " " + wide.dtype() + " " + MindTorch.call("_local_scalar_dense", "", wide.apply("select", 0, 0)),
        "Tensor uint64 [2]: [18446744073709551615, 7] uint64 18446744073709551615");
    expect("narrow floats", Tensor.of(new float[] {1.5f}).apply("to", DType.FLOAT8_E5M2), "Tensor float8_e5m2 [1]: [1.5]");
  }

  static boolean isCollected(WeakReference<?> reference) throws InterruptedException {
    for (int i = 0; i < 200 && reference.get() != null; ++i) {
      System.gc();
      Thread.sleep(10);
    }
    return reference.get() == null;
  }

  /** Adds a hook that refers to an object. */
  static WeakReference<Object> watch(Tensor tensor, long[] id) {
    Object captured = new byte[10];
    id[0] = tensor.onGradient(gradient -> captured == null ? null : gradient.mul(3));
    return new WeakReference<>(captured);
  }

  static void hooks() throws InterruptedException {
    long[] id = new long[1];
    Tensor w = Tensor.of(new float[] {1}).requiresGrad(true);
    WeakReference<Object> removed = watch(w, id);
    System.gc();
    w.mul(2).apply("sum").backward();
    expect("a hook stays with its tensor", w.grad(), "Tensor float32 [1]: [6.0]");
    capi.mt_tensor_remove_hook(w, id[0]);
    expect("a removed hook is collected", isCollected(removed), true);
    id[0] = w.onGradient(gradient -> {
      capi.mt_tensor_remove_hook(w, id[0]);
      for (int i = 0; i < 3; ++i) System.gc();
      return gradient.mul(5);
    });
    w.mul(2).apply("sum").backward();
    w.mul(2).apply("sum").backward();
    expect("a hook that removes itself", w.grad(), "Tensor float32 [1]: [18.0]");
    WeakReference<Object> dropped = watch(w, id);
    w.close();
    expect("the hook of a closed tensor is collected", isCollected(dropped), true);
    expect("no hook without gradients", failing(() -> Tensor.of(new float[1]).onGradient(gradient -> null)),
        "RuntimeError: cannot register a hook on a tensor that doesn't require gradient");
  }

  static void large() {
    double[] million = new double[1000000];
    for (int i = 0; i < million.length; ++i) million[i] = i;
    double[] copy = new double[million.length];
    try (Tensor tensor = Tensor.of(million)) {
      tensor.copyTo(copy);
    }
    expect("a million doubles in and out", Arrays.equals(million, copy), true);
  }

  static void gradients() {
    Tensor w = Tensor.of(new float[] {1, 2}).requiresGrad(true);
    w.onGradient(gradient -> gradient.mul(10));
    w.mul(w).apply("sum").backward();
    expect("gradient", w.grad(), "Tensor float32 [2]: [20.0, 40.0]");
    try (NoGrad off = new NoGrad()) {
      expect("no gradients", w.mul(2).requiresGrad(), false);
    }
    expect("gradients again", w.mul(2), "Tensor float32 [2] requires grad: [2.0, 4.0]");
  }

  static void scopes() {
    long before = capi.allocator_get_stats().getAllocated_bytes();
    Tensor made;
    Tensor kept;
    Tensor inner;
    try (Scope scope = new Scope()) {
      made = MindTorch.apply("ones", "", new long[] {1000000});
      kept = scope.keep(made.add(1));
      try (Scope nested = new Scope()) {
        inner = nested.keep(made.mul(2));
      }
      expect("what an inner scope keeps", inner.isClosed(), false);
    }
    expect("scope", List.of(made.isClosed(), kept.isClosed(), inner.isClosed()), "[true, false, true]");
    kept.close();
    kept.close();
    expect("memory of a scope", capi.allocator_get_stats().getAllocated_bytes() - before < 100000, true);
    expect("closed", failing(() -> kept.add(1)) + ", " + failing(() -> made.add(kept)) + ", " + failing(() -> capi.tensor_sizes(kept)) + ", " + failing(kept::buffer),
        "this Tensor is closed, this Tensor is closed, this Tensor is closed, this Tensor is closed");
    expect("closed in a list", failing(() -> MindTorch.call("cat", "", List.of(kept))), "this Tensor is closed");
    expect("closed text", kept, "Tensor closed");
    Scope outer = new Scope();
    Scope last = new Scope();
    expect("scopes in the wrong order", failing(outer::close), "an inner Scope is still open");
    last.close();
    outer.close();
    outer.close();
  }

  static String train() {
    try (Scope scope = new Scope()) {
      Tensor weight = MindTorch.apply("zeros", "", new long[] {8, 1}).requiresGrad(true);
      Tensor inputs = MindTorch.apply("arange", "", 800.0).apply("reshape", new long[] {100, 8}).div(800);
      for (int step = 0; step < 30; ++step) {
        weight.setGrad(null);
        inputs.matmul(weight).sub(1).pow(2).apply("mean").backward();
        try (NoGrad off = new NoGrad()) {
          weight.apply("sub_", weight.grad(), Map.of("alpha", 0.1));
        }
      }
      return weight.toList().toString();
    }
  }

  static void threads() throws InterruptedException {
    String alone = train();
    String[] found = new String[8];
    List<Thread> threads = IntStream.range(0, 8).mapToObj(i -> new Thread(() -> found[i] = train())).collect(Collectors.toList());
    threads.forEach(Thread::start);
    for (Thread thread : threads) thread.join();
    expect("eight threads", Arrays.stream(found).distinct().collect(Collectors.toList()), List.of(alone));
  }

  static void files() throws IOException {
    Path path = Files.createTempFile("mindtorch", null);
    Tensor weight = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2);
    for (boolean asTorch : new boolean[] {false, true}) {
      MindTorch.save(path.toString(), Map.of("weight", weight), asTorch);
      expect("a saved tensor, as torch: " + asTorch, MindTorch.load(path.toString()), Map.of("weight", weight));
    }
    Files.delete(path);
    expect("an absent file", failing(() -> MindTorch.load(path.toString())).startsWith("RuntimeError: unable to open file"), true);
    String written = System.getenv("MINDTORCH_TORCH_CHECKPOINT");  // by tests/languages/torch_checkpoint.py
    if (written == null || written.isEmpty()) return;
    Map<String, Tensor> loaded = MindTorch.load(written);
    expect("a checkpoint of real torch", new TreeSet<>(loaded.keySet()), "[half, model.bias, model.weight]");
    expect("its elements", loaded.get("model.weight").toList() + " " + loaded.get("half").toList(), "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] [1.5, -2.0]");
  }

  public static void main(String[] arguments) throws InterruptedException, IOException {
    operators();
    texts();
    arrays();
    readOnly();
    nulls();
    unicode();
    kinds();
    hooks();
    large();
    gradients();
    scopes();
    threads();
    files();
    if (hasFailed) System.exit(1);
    System.out.println("as expected");
  }
}
