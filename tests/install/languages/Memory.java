// Drops 200 tensors of 40 MB with views, and 50 graphs that keep as much each; prints the process's peak in MB.
import static org.mindtorch.MindTorch.apply;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.mindtorch.Tensor;
import org.mindtorch.capi;

public class Memory {
  static {
    System.loadLibrary("mindtorch_java");
  }

  public static void main(String[] arguments) throws IOException {
    for (int i = 0; i < 200; ++i) {
      Tensor tensor = apply("ones", "", new long[] {10000000});
      apply("narrow", "", tensor, 0, 0, 10);
    }
    Tensor leaf = apply("ones", "", new long[] {10000000});
    capi.tensor_set_requires_grad(leaf, 1);
    for (int i = 0; i < 50; ++i) apply("sum", "", apply("exp", "", leaf));
    for (String line : Files.readAllLines(Paths.get("/proc/self/status"))) {
      if (line.startsWith("VmHWM")) System.out.println(Long.parseLong(line.replaceAll("\\D", "")) / 1024);
    }
  }
}
