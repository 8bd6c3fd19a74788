import org.mindtorch.MindTorch;
import org.mindtorch.Tensor;

/** What calls from Java cost: prints `name seconds`, as calls.c does. */
public class Calls {
  static void measure(String name, int repeats, int rounds, Runnable call) {
    double best = Double.POSITIVE_INFINITY;
    call.run();
    for (int round = 0; round < rounds; round++) {
      long begun = System.nanoTime();
      for (int i = 0; i < repeats; i++) call.run();
      best = Math.min(best, (System.nanoTime() - begun) / 1e9 / repeats);
    }
    System.out.printf("%s %.9f%n", name, best);
  }

  public static void main(String[] arguments) {
    Tensor a = Tensor.of(new float[] {1}), b = Tensor.of(new float[] {1});
    Tensor square = MindTorch.apply("ones", "", new long[] {1024, 1024});
    double[] elements = new double[1000000];
    Tensor numbers = Tensor.of(elements);
    measure("add", 500, 1000, () -> a.add(b));
    measure("add, closed", 500, 1000, () -> a.add(b).close());
    measure("mm", 1, 10, () -> square.apply("mm", square).close());
    measure("in", 1, 20, () -> Tensor.of(elements).close());
    measure("out", 1, 20, () -> numbers.toDoubles());
    measure("out, to an array", 1, 20, () -> numbers.copyTo(elements));
  }
}
