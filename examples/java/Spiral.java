// Trains a network of two layers on three spirals through MindTorch's module for Java.
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.mindtorch.MindTorch;
import org.mindtorch.MindTorchException;
import org.mindtorch.NoGrad;
import org.mindtorch.Scope;
import org.mindtorch.Tensor;
import org.mindtorch.capi;

public class Spiral {
  static final int ARMS = 3, POINTS = 100, HIDDEN = 64, STEPS = 400;

  static Tensor[] makeSpirals() {
    float[][] points = new float[ARMS * POINTS][];
    long[] labels = new long[ARMS * POINTS];
    for (int arm = 0; arm < ARMS; ++arm) {
      for (int i = 0; i < POINTS; ++i) {
        double radius = (i + 1.0) / POINTS;
        double angle = arm * 2 * Math.PI / ARMS + 4 * radius + 0.1 * Math.sin(37.0 * i);
        int row = arm * POINTS + i;
        points[row] = new float[] {(float) (radius * Math.cos(angle)), (float) (radius * Math.sin(angle))};
        labels[row] = arm;
      }
    }
    return new Tensor[] {Tensor.of(points), Tensor.of(labels)};
  }

  static Tensor makeParameter(String factory, double scale, long... sizes) {
    return MindTorch.apply(factory, "", sizes).mul(scale).requiresGrad(true);
  }

  static Tensor forward(Tensor x, List<Tensor> p) {
    return x.apply("linear", p.get(0), p.get(1)).apply("tanh").apply("linear", p.get(2), p.get(3));
  }

  static void descend(List<Tensor> parameters, double rate) {
    try (NoGrad off = new NoGrad()) {
      for (Tensor parameter : parameters) {
        parameter.apply("add_", parameter.grad(), Map.of("alpha", -rate));
        parameter.setGrad(null);
      }
    }
  }

  static double accuracy(Tensor logits, Tensor labels) {
    return logits.apply("argmax", 1).eq(labels).apply("sum").item() / labels.numel();
  }

  public static void main(String[] arguments) {
    System.out.println("mindtorch " + capi.version() + ", ABI " + capi.abi_version() + ", " + capi.threads_get() + " threads");
    Tensor[] data = makeSpirals();
    MindTorch.manualSeed(7);
    List<Tensor> parameters = List.of(makeParameter("randn", 1, HIDDEN, 2), makeParameter("zeros", 1, HIDDEN),
        makeParameter("randn", 0.125, ARMS, HIDDEN), makeParameter("zeros", 1, ARMS));
    for (int step = 1; step <= STEPS; ++step) {
      try (Scope scope = new Scope()) {
        Tensor logits = forward(data[0], parameters);
        Tensor loss = logits.apply("cross_entropy_loss", data[1]);
        loss.backward();
        descend(parameters, 1.0);
        if (step == 1 || step % 100 == 0) {
          System.out.println(String.format(Locale.ROOT, "step %d: loss %.6f, accuracy %.4f", step, loss.item(), accuracy(logits, data[1])));
        }
      }
    }

    try {
      data[0].add(data[1]);
    } catch (MindTorchException error) {
      System.out.println(error.kind() + ": " + error.getMessage());
    }
  }
}
