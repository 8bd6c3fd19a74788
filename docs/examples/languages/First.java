// An operator, a gradient and an error through MindTorch's module for Java.
import static org.mindtorch.MindTorch.apply;
import static org.mindtorch.MindTorch.named;

import org.mindtorch.MindTorch;
import org.mindtorch.MindTorchException;
import org.mindtorch.Tensor;
import org.mindtorch.capi;
import org.mindtorch.capiConstants;

public class First {
  static void show(String name, Tensor tensor) {
    StringBuilder line = new StringBuilder(name);
    for (double number : MindTorch.elements(tensor)) {
      line.append(' ').append((long) number);
    }
    System.out.println(line);
  }

  public static void main(String[] arguments) {
    Tensor x = MindTorch.tensor(new double[] {1, 2, 3}, new long[] {3}, capiConstants.MT_FLOAT32);
    Tensor y = MindTorch.tensor(new double[] {4, 5, 6}, new long[] {3}, capiConstants.MT_FLOAT32);
    show("sum", apply("add", "Tensor", x, y, named("alpha", 1)));

    capi.tensor_set_requires_grad(x, 1);
    capi.backward(apply("sum", "", apply("mul", "Tensor", x, x)));
    show("gradient", capi.tensor_grad(x));

    try {
      apply("add", "Tensor", x, apply("ones", "", new long[] {2}));
    } catch (MindTorchException error) {
      System.out.println(error.kind() + ": " + error.getMessage());
    }
  }
}
