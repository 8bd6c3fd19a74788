package org.mindtorch;

import java.lang.ref.Reference;
import java.util.AbstractMap;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** What is written in Java above SWIG's classes: operators with plain arguments, arrays, hooks as functions. */
public final class MindTorch {
  private MindTorch() {}

  /**
   * Calls an operator with plain arguments: numbers, strings, booleans, dtypes, tensors, arrays and collections of them, null for none,
   * and {@link #named} ones, or a Map of them. One result comes as itself, several, or a list of tensors, as an array. With the overload
   * "", the arguments select it.
   */
  public static Object call(String name, String overload, Object... arguments) {
    Map<String, Object> named = Collections.emptyMap();
    int byPlace = arguments.length;
    for (int i = 0; i < arguments.length; ++i) {
      boolean isMap = arguments[i] instanceof Map;
      if (!isMap && !(arguments[i] instanceof Map.Entry)) {
        if (byPlace < i) throw new IllegalArgumentException("an argument by place follows one by name");
        continue;
      }
      byPlace = Math.min(byPlace, i);
      if (named.isEmpty()) named = new LinkedHashMap<>();
      if (isMap) {
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) arguments[i]).entrySet()) named.put((String) entry.getKey(), entry.getValue());
      } else {
        named.put((String) ((Map.Entry<?, ?>) arguments[i]).getKey(), ((Map.Entry<?, ?>) arguments[i]).getValue());
      }
    }
    return Operator.run(name, overload, byPlace == arguments.length ? arguments : Arrays.copyOf(arguments, byPlace), named);
  }

  /** As call, for the many operators with one tensor as their result. */
  public static Tensor apply(String name, String overload, Object... arguments) {
    return (Tensor) call(name, overload, arguments);
  }

  /** An argument by name, for call. */
  public static Map.Entry<String, Object> named(String name, Object value) {
    return new AbstractMap.SimpleEntry<>(name, value);
  }

  /** The tensors of a file of torch, safetensors, NumPy or GGUF, by name, in the file's order. */
  public static Map<String, Tensor> load(String path) {
    NamedTensors found = capi.load_tensors(path);
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    for (long i = 0; i < found.size(); ++i) tensors.put(found.name(i), found.get(i));
    return tensors;
  }

  /** Saves tensors by name, in the format of safetensors. */
  public static void save(String path, Map<String, Tensor> tensors) {
    save(path, tensors, false);
  }

  /** Saves tensors by name, in the format of torch or of safetensors. */
  public static void save(String path, Map<String, Tensor> tensors, boolean asTorch) {
    NamedTensors named = new NamedTensors();
    for (Map.Entry<String, Tensor> entry : tensors.entrySet()) named.add(entry.getKey(), entry.getValue());
    named.save(path, asTorch);
  }

  /** Seeds the generator of random numbers, which are torch's for the seed. */
  public static void manualSeed(long seed) {
    capi.generator_seed(capi.generator_default(), seed);
  }

  public static Tensor tensor(double[] elements, long[] sizes, int dtype) {
    Tensor exact = new Tensor(capiJNI.create(elements, DType.FLOAT64.number(), sizes), true);
    return dtype == DType.FLOAT64.number() ? exact : exact.apply("to", dtype);
  }

  /** All elements in row-major order. */
  public static double[] elements(Tensor tensor) {
    return tensor.toDoubles();
  }

  /**
   * Calls the function with each gradient of the tensor; a tensor that it returns replaces the gradient. Returns the
   * hook's number for tensor_remove_hook. The function, and what it refers to, stays in memory until the hook is removed or the tensor
   * is released.
   */
  public static long onGradient(Tensor tensor, UnaryOperator<Tensor> function) {
    GradientHook hook = new GradientHook() {
      @Override
      public void call(Tensor gradient, Tensors replacement) {
        try {
          Tensor made = function.apply(gradient);
          if (made != null) replacement.add(made);
        } catch (MindTorchException error) {
          fail(error.kind(), error.getMessage());
        } catch (Throwable error) {
          fail(error.getClass().getSimpleName(), String.valueOf(error.getMessage()));
        }
      }
    };
    long address = tensor.address();
    hook.swigReleaseOwnership();
    try {
      return capiJNI.addHook(address, GradientHook.getCPtr(hook));
    } catch (Throwable failure) {
      hook.swigTakeOwnership();
      throw failure;
    } finally {
      Reference.reachabilityFence(tensor);
    }
  }
}
