// Tensors as C#'s objects: operators, indices, arrays and spans, text.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MindTorch {

  public partial class Tensor {
    const int Shown = 1000;  // the largest number of elements that ToString shows in full

    // ---- creation: a copy of the elements, with these sizes; one dimension without sizes. Arrays are spans too ----

    public static Tensor Of(ReadOnlySpan<double> elements, params long[] sizes) { return Create(elements, sizes); }
    public static Tensor Of(ReadOnlySpan<float> elements, params long[] sizes) { return Create(elements, sizes); }
    public static Tensor Of(ReadOnlySpan<long> elements, params long[] sizes) { return Create(elements, sizes); }
    public static Tensor Of(ReadOnlySpan<int> elements, params long[] sizes) { return Create(elements, sizes); }
    public static Tensor Of(ReadOnlySpan<bool> elements, params long[] sizes) { return Create(elements, sizes); }
    public static Tensor Of(ReadOnlySpan<byte> elements, params long[] sizes) { return Create(elements, sizes); }

    // Arrays of several dimensions (float[,]) have sizes of their own.
    public static Tensor Of<T>(T[,] elements) where T : struct { return Copy<T>(elements); }
    public static Tensor Of<T>(T[,,] elements) where T : struct { return Copy<T>(elements); }
    public static Tensor Of<T>(T[,,,] elements) where T : struct { return Copy<T>(elements); }

    static Tensor Copy<T>(Array elements) where T : struct {
      DTypeOf(typeof(T));  // throws for what is no number
      T[] list = new T[elements.Length];
      Buffer.BlockCopy(elements, 0, list, 0, Buffer.ByteLength(elements));
      return Create(new ReadOnlySpan<T>(list), Enumerable.Range(0, elements.Rank).Select(dim => (long) elements.GetLength(dim)).ToArray());
    }

    static unsafe Tensor Create<T>(ReadOnlySpan<T> elements, long[] sizes) where T : struct {
      if (sizes.Length == 0) sizes = new long[] { elements.Length };
      IntPtr made;
      fixed (byte* data = MemoryMarshal.AsBytes(elements))
      fixed (long* size = sizes) Native.Check(Native.Create(data, elements.Length, (int) DTypeOf(typeof(T)), size, sizes.Length, out made));
      return new Tensor(made, true);
    }

    // ---- properties ----

    public long[] Shape { get { using (Ints sizes = capi.tensor_sizes(this)) return sizes.ToArray(); } }
    public DType DType { get { return (DType) Info.dtype; } }
    public long Numel { get { return Info.numel; } }
    public Tensor Grad {
      get { return capi.tensor_grad(this); }
      set { capi.tensor_set_grad(this, value); }
    }
    public bool RequiresGrad {
      get { return (Info.flags & capi.MT_TENSOR_REQUIRES_GRAD) != 0; }
      set { capi.tensor_set_requires_grad(this, value ? 1 : 0); }
    }
    mt_tensor_info Info { get { return capi.tensor_get_info(this); } }

    // ---- elements, in row-major order, converted to the type ----

    public T[] ToArray<T>() where T : struct {
      T[] array = new T[Numel];
      CopyTo(new Span<T>(array));
      return array;
    }

    public unsafe void CopyTo<T>(Span<T> target) where T : struct {
      fixed (byte* data = MemoryMarshal.AsBytes(target)) {
        Native.Check(Native.Read(getCPtr(this), data, target.Length, (int) DTypeOf(typeof(T))));
      }
    }

    // The number of a tensor with one element: a long, a ulong beyond its range, a double, a bool, or two doubles, the parts of a complex
    // number.
    public object Number() {
      if (Numel != 1) capi.tensor_item(this);  // throws torch's error
      switch (DType) {
        case DType.Bool: return ToArray<bool>()[0];
        case DType.UInt8: case DType.Int8: case DType.Int16: case DType.Int32: case DType.Int64: case DType.UInt16: case DType.UInt32:
          return ToArray<long>()[0];
        case DType.UInt64: {
          ulong number = ToArray<ulong>()[0];
          return number <= long.MaxValue ? (object) (long) number : number;
        }
        case DType.Complex32: case DType.Complex64: case DType.Complex128: return Call("_local_scalar_dense");
        default: return ToArray<double>()[0];
      }
    }
    public double ToDouble() { return capi.tensor_item(this); }

    // ---- operators ----

    // Any operator, with this tensor as its first argument: x.Apply("softmax", 1). The arguments select the overload.
    public Tensor Apply(string name, params object[] arguments) { return (Tensor) Call(name, arguments); }
    // As Apply, for operators with other or several results.
    public object Call(string name, params object[] arguments) {
      Arguments call = Arguments.Begin(name, "", arguments.Length + 1);
      call.Add(this);
      foreach (object argument in arguments) call.Add(argument);
      object result = call.Call();
      GC.KeepAlive(this);  // the collector must not release an argument during the call
      GC.KeepAlive(arguments);
      return result;
    }

    static Tensor Both(string name, object left, object right) {
      Arguments call = Arguments.Begin(name, "", 2);
      call.Add(left);
      call.Add(right);
      Tensor result = (Tensor) call.Call();
      GC.KeepAlive(left);
      GC.KeepAlive(right);
      return result;
    }
    public static Tensor operator +(Tensor left, Tensor right) { return Both("add", left, right); }
    public static Tensor operator +(Tensor left, double right) { return Both("add", left, right); }
    public static Tensor operator +(double left, Tensor right) { return Both("add", right, left); }
    public static Tensor operator -(Tensor left, Tensor right) { return Both("sub", left, right); }
    public static Tensor operator -(Tensor left, double right) { return Both("sub", left, right); }
    public static Tensor operator -(double left, Tensor right) { return Both("rsub", right, left); }
    public static Tensor operator *(Tensor left, Tensor right) { return Both("mul", left, right); }
    public static Tensor operator *(Tensor left, double right) { return Both("mul", left, right); }
    public static Tensor operator *(double left, Tensor right) { return Both("mul", right, left); }
    public static Tensor operator /(Tensor left, Tensor right) { return Both("div", left, right); }
    public static Tensor operator /(Tensor left, double right) { return Both("div", left, right); }
    public static Tensor operator /(double left, Tensor right) { return right.Apply("reciprocal") * left; }
    public static Tensor operator -(Tensor tensor) { return tensor.Apply("neg"); }
    // Whole numbers keep the dtype of integer tensors.
    public static Tensor operator +(Tensor left, long right) { return Both("add", left, right); }
    public static Tensor operator +(long left, Tensor right) { return Both("add", right, left); }
    public static Tensor operator -(Tensor left, long right) { return Both("sub", left, right); }
    public static Tensor operator -(long left, Tensor right) { return Both("rsub", right, left); }
    public static Tensor operator *(Tensor left, long right) { return Both("mul", left, right); }
    public static Tensor operator *(long left, Tensor right) { return Both("mul", right, left); }
    public static Tensor operator /(Tensor left, long right) { return Both("div", left, right); }
    public static Tensor operator /(long left, Tensor right) { return right.Apply("reciprocal") * left; }
    // Element by element, as Apply("eq", other) and Apply("ne", other); == asks whether it is the same object.
    public static Tensor operator <(Tensor left, object right) { return Both("lt", left, right); }
    public static Tensor operator >(Tensor left, object right) { return Both("gt", left, right); }
    public static Tensor operator <=(Tensor left, object right) { return Both("le", left, right); }
    public static Tensor operator >=(Tensor left, object right) { return Both("ge", left, right); }

    public Tensor MatMul(Tensor other) { return Apply("matmul", other); }
    public Tensor Pow(object exponent) { return Apply("pow", exponent); }
    // Whether sizes and all elements are equal.
    public bool IsEqual(Tensor other) { return Shape.SequenceEqual(other.Shape) && (bool) Call("equal", other); }

    public void Backward() { capi.backward(this); }
    public long OnGradient(Func<Tensor, Tensor> function) { return Torch.OnGradient(this, function); }

    // Indices, one for each dimension: numbers, (start, end) pairs of numbers, of which null is an end of the dimension, null for a new
    // dimension, and tensors or lists of positions.
    public Tensor this[params object[] indices] {
      get {
        Tensor view = View(indices, out List<Tensor> positions);
        return positions.Count == 0 ? view : view.Apply("index", positions);
      }
      set {
        Tensor view = View(indices, out List<Tensor> positions);
        if (positions.Count == 0) view.Apply("copy_", value);
        else view.Apply("index_put_", positions, value);
      }
    }

    Tensor View(object[] indices, out List<Tensor> positions) {
      Tensor view = this;
      int dim = 0;
      positions = new List<Tensor>();
      foreach (object index in indices ?? new object[] { null }) {
        if (index is int || index is long) {
          view = view.Apply("select", dim, index);
          continue;
        }
        if (index == null) view = view.Apply("unsqueeze", dim);
        else if (index is ITuple pair && pair.Length == 2) view = view.Apply("slice", dim, pair[0], pair[1]);
        else {
          Tensor list = index is Tensor tensor ? tensor
                        : index is int[] wholes ? Of(wholes).Apply("to", DType.Int64)
                        : index is long[] wides ? Of(wides)
                        : throw new ArgumentException(index.GetType() + " is not an index of a tensor");
          while (positions.Count < dim) positions.Add(null);
          positions.Add(list);
        }
        ++dim;
      }
      return view;
    }

    // ---- text ----

    public override string ToString() {
      if (IsDisposed) return "Tensor disposed";
      mt_tensor_info info = Info;
      string text = "Tensor " + capi.mt_dtype_name(info.dtype) + " [" + string.Join(", ", Shape) + "]" + (RequiresGrad ? " requires grad" : "");
      if (info.device.type != capi.MT_CPU || info.layout != capi.MT_STRIDED) return text;
      return text + ": " + Text(this, info.numel > Shown);
    }

    // Of long dimensions, if shortened, the ends only.
    static string Text(Tensor tensor, bool isShortened) {
      long[] shape = tensor.Shape;
      if (shape.Length == 0) return Text(tensor.DType == DType.Float64 || !(tensor.Number() is double) ? tensor.Number() : (float) tensor.ToDouble());
      List<string> parts = new List<string>();
      for (long i = 0; i < shape[0]; ++i) {
        if (isShortened && shape[0] > 6 && i == 3) {
          parts.Add("...");
          i = shape[0] - 3;
        }
        using (Tensor part = tensor.Apply("select", 0, i)) parts.Add(Text(part, isShortened));
      }
      return "[" + string.Join(", ", parts) + "]";
    }

    static string Text(object number) {
      if (number is double[] parts) return "(" + Text(parts[0]) + ", " + Text(parts[1]) + ")";
      IFormatProvider invariant = System.Globalization.CultureInfo.InvariantCulture;
      return number is float || number is double ? ((IFormattable) number).ToString("R", invariant) : Convert.ToString(number, invariant);
    }

    static DType DTypeOf(Type type) {
      if (type == typeof(double)) return DType.Float64;
      if (type == typeof(float)) return DType.Float32;
      if (type == typeof(long)) return DType.Int64;
      if (type == typeof(int)) return DType.Int32;
      if (type == typeof(ulong)) return DType.UInt64;
      if (type == typeof(uint)) return DType.UInt32;
      if (type == typeof(ushort)) return DType.UInt16;
      if (type == typeof(short)) return DType.Int16;
      if (type == typeof(sbyte)) return DType.Int8;
      if (type == typeof(byte)) return DType.UInt8;
      if (type == typeof(bool)) return DType.Bool;
      throw new ArgumentException("no dtype has elements of " + type);
    }
  }
}
