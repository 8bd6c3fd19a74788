// Trains a network of two layers on three spirals through MindTorch's module for Java, SWIG's wrapper of the C ABI.
import static org.mindtorch.MindTorch.apply;
import static org.mindtorch.MindTorch.named;

import java.util.Locale;
import org.mindtorch.MindTorch;
import org.mindtorch.MindTorchException;
import org.mindtorch.Tensor;
import org.mindtorch.capi;
import org.mindtorch.capiConstants;

public class Spiral {
  static final int ARMS = 3, POINTS = 100, HIDDEN = 64, STEPS = 400;

  static Tensor[] makeSpirals() {
    int count = ARMS * POINTS;
    double[] xy = new double[2 * count], labels = new double[count];
    for (int arm = 0; arm < ARMS; ++arm) {
      for (int i = 0; i < POINTS; ++i) {
        double radius = (i + 1.0) / POINTS;
        double angle = arm * 2 * Math.PI / ARMS + 4 * radius + 0.1 * Math.sin(37.0 * i);
        int row = arm * POINTS + i;
        xy[2 * row] = radius * Math.cos(angle);
        xy[2 * row + 1] = radius * Math.sin(angle);
        labels[row] = arm;
      }
    }
    return new Tensor[] {MindTorch.tensor(xy, new long[] {count, 2}, capiConstants.MT_FLOAT32),
                         MindTorch.tensor(labels, new long[] {count}, capiConstants.MT_INT64)};
  }

  static Tensor makeParameter(String factory, long[] sizes, double scale) {
    Tensor tensor = apply("mul", "Scalar", apply(factory, "", sizes), scale);
    capi.tensor_set_requires_grad(tensor, 1);
    return tensor;
  }

  static Tensor forward(Tensor x, Tensor[] p) {
    Tensor hidden = apply("tanh", "", apply("linear", "", x, p[0], p[1]));
    return apply("linear", "", hidden, p[2], p[3]);
  }

  static void descend(Tensor[] parameters, double rate) {
    capi.mode_set(capiConstants.MT_MODE_GRAD, 0);
    for (Tensor parameter : parameters) {
      apply("add_", "Tensor", parameter, capi.tensor_grad(parameter), named("alpha", -rate));
      capi.tensor_set_grad(parameter, null);
    }
    capi.mode_set(capiConstants.MT_MODE_GRAD, 1);
  }

  static double accuracy(Tensor logits, Tensor labels) {
    Tensor hits = apply("eq", "Tensor", apply("argmax", "", logits, 1), labels);
    return capi.tensor_item(apply("sum", "", hits)) / (ARMS * POINTS);
  }

  public static void main(String[] arguments) {
    System.out.println("mindtorch " + capi.version() + ", ABI " + capi.abi_version() + ", " + capi.threads_get() + " threads");
    Tensor[] data = makeSpirals();
    capi.generator_seed(capi.generator_default(), 7);
    Tensor[] parameters = {
      makeParameter("randn", new long[] {HIDDEN, 2}, 1.0), makeParameter("zeros", new long[] {HIDDEN}, 1.0),
      makeParameter("randn", new long[] {ARMS, HIDDEN}, 0.125), makeParameter("zeros", new long[] {ARMS}, 1.0)};
    for (int step = 1; step <= STEPS; ++step) {
      Tensor logits = forward(data[0], parameters);
      Tensor loss = apply("cross_entropy_loss", "", logits, data[1]);
      capi.backward(loss);
      descend(parameters, 1.0);
      if (step == 1 || step % 100 == 0) {
        System.out.println(String.format(Locale.ROOT, "step %d: loss %.6f, accuracy %.4f", step, capi.tensor_item(loss),
            accuracy(logits, data[1])));
      }
    }

    try {
      apply("add", "Tensor", data[0], data[1]);
    } catch (MindTorchException error) {
      System.out.println(error.kind() + ": " + error.getMessage());
    }
  }
}
