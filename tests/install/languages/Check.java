// What expected.txt and expected-hooks.txt list, in Java.
import static org.mindtorch.MindTorch.apply;
import static org.mindtorch.MindTorch.call;
import static org.mindtorch.MindTorch.named;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.mindtorch.DType;
import org.mindtorch.GradientQueue;
import org.mindtorch.MindTorch;
import org.mindtorch.MindTorchException;
import org.mindtorch.Tensor;
import org.mindtorch.Values;
import org.mindtorch.capi;
import org.mindtorch.capiConstants;
import org.mindtorch.mt_device;

public class Check {
  static {
    System.loadLibrary("mindtorch_java");
  }

  static String text(Tensor tensor) {
    StringBuilder text = new StringBuilder();
    for (double number : MindTorch.elements(tensor)) {
      text.append(text.length() == 0 ? "" : " ").append(number == Math.rint(number) ? "" + (long) number : "" + number);
    }
    return text.toString();
  }

  static String texts(Object tensors, String between) {
    StringBuilder text = new StringBuilder();
    for (Object tensor : (Object[]) tensors) text.append(text.length() == 0 ? "" : between).append(text((Tensor) tensor));
    return text.toString();
  }

  static String failing(Runnable action) {
    try {
      action.run();
      return "nothing";
    } catch (MindTorchException error) {
      return error.kind() + ": " + error.getMessage();
    }
  }

  static int bit(Object on) {
    return (Boolean) on ? 1 : 0;
  }

  // The collector runs when it likes: it is asked a few times.
  static boolean released() throws InterruptedException {
    long before = capi.allocator_get_stats().getAllocated_bytes();
    for (int i = 0; i < 100; ++i) apply("zeros", "", new long[] {100000});
    for (int i = 0; i < 50 && capi.allocator_get_stats().getAllocated_bytes() - before >= 10000000; ++i) {
      System.gc();
      Thread.sleep(100);
    }
    return capi.allocator_get_stats().getAllocated_bytes() - before < 10000000;
  }

  static Tensor leaf() {
    return MindTorch.tensor(new double[] {1, 2, 3, 4.5}, new long[] {4}, capiConstants.MT_FLOAT32);
  }

  public static void main(String[] arguments) throws InterruptedException {
    Tensor x = leaf();
    System.out.println("cat " + text(apply("cat", "", new Tensor[] {x, x}, 0)));
    System.out.println("max " + texts(call("max", "dim", x, 0), " "));
    System.out.println("split " + texts(call("split", "Tensor", x, 2), " | "));
    Tensor twos = apply("full", "", new long[] {4}, 2.0);
    System.out.println("floor " + text(apply("div", "Tensor_mode", x, twos, named("rounding_mode", "floor"))));
    System.out.println("clamp " + text(apply("clamp", "", x, null, 3)));
    Tensor ends = MindTorch.tensor(new double[] {0, 3}, new long[] {2}, capiConstants.MT_INT64);
    Tensor pairs = apply("stack", "", new Tensor[] {x, x}, 1);
    System.out.println("index " + text(apply("index", "Tensor", pairs, new Tensor[] {ends, apply("zeros_like", "", ends)})));
    Tensor zeros = apply("zeros", "", new long[] {2}, named("dtype", "float64"));
    Tensor again = apply("zeros", "", new long[] {2}, named("dtype", capiConstants.MT_FLOAT64));
    System.out.println("dtypes " + capi.tensor_get_info(zeros).getDtype() + " " + call("result_type", "Tensor", x, again));
    System.out.println("equal " + bit(call("equal", "", x, x)) + " " + bit(call("equal", "", x, apply("neg", "", x))));
    System.out.println("empty " + text(apply("sum", "dim_IntList", x, new long[0], false)));
    mt_device device = capi.device_parse("npu:3");
    System.out.println("device " + device.getType() + " " + device.getIndex());
    Values values = new Values();
    values.add_int(9007199254740993L);
    System.out.println("whole " + values.get_int(0));
    ByteBuffer packed = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).putDouble(0, 1.5).putDouble(8, 2.5);
    System.out.println("bytes " + text(Tensor.of(packed, DType.FLOAT64, 2)));

    capi.tensor_set_requires_grad(x, 1);
    GradientQueue queue = new GradientQueue();
    queue.watch(x);
    capi.backward(apply("sum", "", apply("mul", "Tensor", x, x)));
    System.out.println("gradient " + text(capi.tensor_grad(x)));
    System.out.println("seen " + text(queue.poll()));
    System.out.println("none " + bit(queue.poll() == null && capi.tensor_grad(apply("neg", "", x)) == null));

    System.out.println("error " + failing(() -> apply("add", "Tensor", x, apply("ones", "", new long[] {2}))));
    System.out.println("status " + failing(() -> capi.mt_tensor_set_requires_grad(ends, 1)));
    System.out.println("index " + failing(() -> apply("unsqueeze", "", x, 7)));
    System.out.println("keyword " + failing(() -> apply("zeros", "", new long[] {2}, named("dtyp", 6))));
    System.out.println("null " + failing(() -> capi.tensor_sizes(null)));
    System.out.println("released " + bit(released()));

    Tensor y = leaf();
    capi.tensor_set_requires_grad(y, 1);
    MindTorch.onGradient(y, gradient -> apply("mul", "Scalar", gradient, 2.0));
    capi.backward(apply("sum", "", apply("mul", "Tensor", y, y)));
    System.out.println("replaced " + text(capi.tensor_grad(y)));
    MindTorch.onGradient(y, gradient -> { throw new MindTorchException("KeyError", "from the hook"); });
    System.out.println("hook " + failing(() -> capi.backward(apply("sum", "", y))));
  }
}
