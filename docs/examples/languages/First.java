// An operator, a gradient and an error through MindTorch's module for Java.
import org.mindtorch.MindTorch;
import org.mindtorch.MindTorchException;
import org.mindtorch.Tensor;

public class First {
  static void show(String name, Tensor tensor) {
    StringBuilder line = new StringBuilder(name);
    for (long number : tensor.toLongs()) line.append(' ').append(number);
    System.out.println(line);
  }

  public static void main(String[] arguments) {
    Tensor x = Tensor.of(new float[] {1, 2, 3}).requiresGrad(true);
    Tensor y = Tensor.of(new float[] {4, 5, 6});
    show("sum", x.add(y));

    x.mul(x).apply("sum").backward();
    show("gradient", x.grad());

    try {
      x.add(MindTorch.apply("ones", "", 2));
    } catch (MindTorchException error) {
      System.out.println(error.kind() + ": " + error.getMessage());
    }
  }
}
