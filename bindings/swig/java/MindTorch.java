package org.mindtorch;

import java.util.AbstractMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** What is written in Java above SWIG's classes: operators with plain arguments, arrays, hooks as functions. */
public final class MindTorch {
  private static final Map<Long, GradientHook> hooks = new ConcurrentHashMap<>();

  private MindTorch() {}

  /**
   * Calls an operator with plain arguments: numbers, strings, booleans, tensors, arrays of them, null for none, and
   * {@link #named} ones. One result comes as itself, several, or a list of tensors, as an array.
   */
  public static Object call(String name, String overload, Object... arguments) {
    Values values = new Values();
    for (Object argument : arguments) {
      if (argument instanceof Map.Entry<?, ?>) {
        Map.Entry<?, ?> named = (Map.Entry<?, ?>) argument;
        box(values, named.getValue());
        values.name((String) named.getKey());
      } else {
        box(values, argument);
      }
    }
    Values results = capi.dispatch(name, overload, values);
    values.delete();
    Object[] found = new Object[(int) results.size()];
    for (int i = 0; i < found.length; ++i) found[i] = unbox(results, i);
    results.delete();
    return found.length == 1 ? found[0] : found;
  }

  /** As call, for the many operators with one tensor as their result. */
  public static Tensor apply(String name, String overload, Object... arguments) {
    return (Tensor) call(name, overload, arguments);
  }

  /** An argument by name, for call. */
  public static Map.Entry<String, Object> named(String name, Object value) {
    return new AbstractMap.SimpleEntry<>(name, value);
  }

  public static Tensor tensor(double[] elements, long[] sizes, int dtype) {
    return capi.tensor_from_doubles(new Doubles(elements), new Ints(sizes), dtype);
  }

  /** All elements in row-major order. */
  public static double[] elements(Tensor tensor) {
    Doubles list = capi.tensor_to_doubles(tensor);
    double[] elements = new double[list.size()];
    for (int i = 0; i < elements.length; ++i) elements[i] = list.get(i);
    return elements;
  }

  /**
   * Calls the function with each gradient of the tensor; a tensor that it returns takes the gradient's place. Gives the
   * hook's number for tensor_remove_hook.
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
    long id = capi.tensor_add_hook(tensor, hook);
    hooks.put(id, hook);
    return id;
  }

  private static void box(Values values, Object argument) {
    if (argument == null) values.add_none();
    else if (argument instanceof Tensor) values.add_tensor((Tensor) argument);
    else if (argument instanceof Generator) values.add_generator((Generator) argument);
    else if (argument instanceof mt_device) values.add_device((mt_device) argument);
    else if (argument instanceof String) values.add_string((String) argument);
    else if (argument instanceof Boolean) values.add_bool((Boolean) argument);
    else if (argument instanceof Float || argument instanceof Double) values.add_double(((Number) argument).doubleValue());
    else if (argument instanceof Number) values.add_int(((Number) argument).longValue());
    else if (argument instanceof long[]) values.add_ints(new Ints((long[]) argument));
    else if (argument instanceof double[]) values.add_doubles(new Doubles((double[]) argument));
    else if (argument instanceof Tensor[]) {
      Tensors tensors = new Tensors();
      for (Tensor tensor : (Tensor[]) argument) tensors.add(tensor);
      values.add_tensors(tensors);
    } else {
      throw new IllegalArgumentException("no boxed value for " + argument.getClass());
    }
  }

  private static Object unbox(Values results, long index) {
    int tag = results.tag(index);
    if (tag == capiConstants.MT_TAG_TENSOR) return results.get_tensor(index);
    if (tag == capiConstants.MT_TAG_BOOL) return results.get_bool(index);
    if (tag != capiConstants.MT_TAG_TENSORS) return results.get_int(index);
    Tensors tensors = results.get_tensors(index);
    Tensor[] list = new Tensor[(int) tensors.size()];
    for (int i = 0; i < list.length; ++i) list[i] = tensors.get(i);
    return list;
  }
}
