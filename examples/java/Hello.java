// An addition, a backward pass, a hook and an error through the SWIG module for Java.
import org.mindtorch.Doubles;
import org.mindtorch.GradientQueue;
import org.mindtorch.Ints;
import org.mindtorch.Tensor;
import org.mindtorch.Tensors;
import org.mindtorch.Values;
import org.mindtorch.capi;
import org.mindtorch.capiConstants;

public class Hello {
  static {
    System.loadLibrary("mindtorch_java");
  }

  static Tensor vector(double... numbers) {
    Doubles elements = new Doubles();
    for (double number : numbers) elements.add(number);
    Ints sizes = new Ints();
    sizes.add((long) numbers.length);
    return capi.tensor_from_doubles(elements, sizes, capiConstants.MT_FLOAT32);
  }

  static Tensor call(String name, String overload, Tensor... tensors) {
    Values args = new Values();
    for (Tensor tensor : tensors) args.add_tensor(tensor);
    return capi.dispatch(name, overload, args).get_tensor(0);
  }

  static void expect(String what, String expected, String got) {
    System.out.println(what + ": " + got);
    if (!expected.equals(got)) throw new AssertionError(what + ": expected " + expected + ", got " + got);
  }

  static String show(Tensor tensor) {
    StringBuilder text = new StringBuilder();
    for (double number : capi.tensor_to_doubles(tensor)) text.append(text.length() == 0 ? "" : " ").append(number);
    return text.toString();
  }

  public static void main(String[] arguments) {
    System.out.println("mindtorch " + capi.version() + ", ABI " + capi.abi_version() + ", " + capi.threads_get() + " threads");

    Tensor a = vector(1, 2, 3);
    Tensor b = vector(10, 20, 30);
    expect("a + b", "11.0 22.0 33.0", show(call("add", "Tensor", a, b)));

    // The gradient of the sum of a * b with respect to a is b.
    capi.tensor_set_requires_grad(a, 1);
    GradientQueue queue = new GradientQueue();
    queue.watch(a);
    Tensors roots = new Tensors();
    roots.add(call("sum", "", call("mul", "Tensor", a, b)));
    capi.autograd_backward(roots, new Tensors(), false, false);
    expect("gradient of a", "10.0 20.0 30.0", show(capi.tensor_grad(a)));
    expect("gradient that the hook saw", "10.0 20.0 30.0", show(queue.poll()));

    try {
      call("add", "Tensor", a, vector(1, 2));
      throw new AssertionError("adding three elements to two has to fail");
    } catch (RuntimeException error) {
      String text = "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0";
      expect("error", "RuntimeError: " + text, error.getMessage());
    }
  }
}
