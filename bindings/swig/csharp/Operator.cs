// A call of an operator: its arguments are packed into arrays that cross to C++ at once.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;

namespace MindTorch {

  // The type of a tensor's elements, with the numbers of the C ABI; the names are torch's.
  public enum DType { UInt8, Int8, Int16, Int32, Int64, Float16, Float32, Float64, Complex64 = 9, Complex128, Bool, BFloat16 = 15,
    Complex32 = 8, Float8E5M2 = 23, Float8E4M3FN, Float8E5M2FNUZ, Float8E4M3FNUZ, UInt16, UInt32, UInt64, Float8E8M0FNU = 44 }

  static class Native {
    const string Library = "libmindtorch_csharp";

    // Registers who receives errors.
    static Native() { System.Runtime.CompilerServices.RuntimeHelpers.RunClassConstructor(typeof(capiPINVOKE).TypeHandle); }

    [DllImport(Library, EntryPoint = "mindtorch_csharp_call")]
    internal static extern unsafe int Call(byte* texts, byte* kinds, int count, long* bits, int named, long* lists, long* results, int capacity,
        out int size);
    [DllImport(Library, EntryPoint = "mindtorch_csharp_fetch")]
    internal static extern unsafe void Fetch(long* results);
    [DllImport(Library, EntryPoint = "mindtorch_csharp_create")]
    internal static extern unsafe int Create(void* data, long count, int dtype, long* sizes, int ndim, out IntPtr tensor);
    [DllImport(Library, EntryPoint = "mindtorch_csharp_read")]
    internal static extern unsafe int Read(HandleRef tensor, void* data, long count, int dtype);

    [UnmanagedFunctionPointer(CallingConvention.StdCall)]
    internal delegate void DropCallback(IntPtr hook);
    [DllImport(Library, EntryPoint = "mindtorch_csharp_add_hook")]
    internal static extern int AddHook(HandleRef tensor, HandleRef hook, DropCallback drop, out long id);

    // Throws the error of a call above that returned 0.
    internal static void Check(int hasSucceeded) {
      if (hasSucceeded == 0) throw capiPINVOKE.SWIGPendingException.Retrieve();
    }
  }

  class Arguments {
    readonly byte[] kinds;
    readonly long[] bits;
    int size, named;
    readonly List<byte> texts = new List<byte>();
    readonly List<long> lists = new List<long>();
    readonly object[] kept;

    internal Arguments(string name, string overload, object[] arguments) {
      kept = arguments;
      kinds = new byte[arguments.Length];
      bits = new long[2 * arguments.Length + 1];
      AddText(name);
      AddText(overload);
      foreach (object argument in arguments) {
        if (argument is ValueTuple<string, object> pair) {
          Add(pair.Item2);
          bits[arguments.Length + named++] = AddText(pair.Item1);
        } else if (named > 0) {
          throw new ArgumentException("an argument by place follows one by name");
        } else {
          Add(argument);
        }
      }
    }

    internal unsafe object Call() {
      const int capacity = 16;
      long* few = stackalloc long[capacity];
      long[] many;
      int count;
      fixed (byte* text = texts.ToArray(), kind = kinds)
      fixed (long* bit = bits, list = lists.ToArray()) {
        Native.Check(Native.Call(text, kind, kinds.Length, bit, named, list, few, capacity, out count));
        many = new long[count];
        if (count > capacity) {
          fixed (long* to = many) Native.Fetch(to);
        } else {
          for (int i = 0; i < count; ++i) many[i] = few[i];
        }
      }
      GC.KeepAlive(kept);  // the collector must not release an argument during the call
      return Unpack(many);
    }

    static object Unpack(long[] results) {
      if (results.Length == 2) return Unpack(results, 0);
      List<object> found = new List<object>();
      for (int i = 0; i < results.Length; i += Size(results, i)) found.Add(Unpack(results, i));
      return found.Count == 1 ? found[0] : found.ToArray();
    }

    static int Size(long[] results, int place) {
      switch ((char) results[place]) {
        case 'T': return 2 + (int) results[place + 1];
        case 'c': return 3;
        case 's': return 2 + (int) ((results[place + 1] + 7) / 8);
        default: return 2;
      }
    }

    static object Unpack(long[] results, int place) {
      long bits = results[place + 1];
      switch ((char) results[place]) {
        case 'n': return null;
        case 'b': return bits != 0;
        case 'd': return BitConverter.Int64BitsToDouble(bits);
        case 'u': return bits >= 0 ? (object) bits : (ulong) bits;
        case 'c': return new[] { BitConverter.Int64BitsToDouble(bits), BitConverter.Int64BitsToDouble(results[place + 2]) };
        case 's': return Encoding.UTF8.GetString(MemoryMarshal.AsBytes(new ReadOnlySpan<long>(results)).Slice(8 * (place + 2), (int) bits).ToArray());
        case 'v': return new mt_device { type = (int) (bits >> 32), index = (int) bits };
        case 't': return Own(bits);
        case 'T': return Enumerable.Range(place + 2, (int) bits).Select(i => Own(results[i])).ToArray();
        default: return bits;
      }
    }

    static Tensor Own(long address) { return address == 0 ? null : new Tensor((IntPtr) address, true); }

    void Add(object argument) {
      if (argument == null) Put('n', 0);
      else if (argument is Tensor tensor) Put('t', (long) Tensor.getCPtr(tensor).Handle);
      else if (argument is bool on) Put('b', on ? 1 : 0);
      else if (argument is int || argument is long || argument is short || argument is byte || argument is sbyte) Put('i', Convert.ToInt64(argument));
      else if (argument is float || argument is double) Put('d', BitConverter.DoubleToInt64Bits(Convert.ToDouble(argument)));
      else if (argument is DType dtype) Put('i', (int) dtype);
      else if (argument is string text) Put('s', AddText(text));
      else if (argument is Generator generator) Put('g', (long) Generator.getCPtr(generator).Handle);
      else if (argument is mt_device device) Put('v', (long) device.type << 32 | (uint) device.index);
      else if (argument is IEnumerable list) AddList(list.Cast<object>().ToList());
      else throw new ArgumentException("an operator has no argument of " + argument.GetType());
    }

    void AddList(List<object> list) {
      bool isWhole = list.All(item => item is int || item is long);
      bool isNumeric = isWhole || list.All(item => item is int || item is long || item is float || item is double);
      Put(isWhole ? 'I' : isNumeric ? 'D' : 'T', lists.Count);
      lists.Add(list.Count);
      foreach (object item in list) {
        if (isWhole) lists.Add(Convert.ToInt64(item));
        else if (isNumeric) lists.Add(BitConverter.DoubleToInt64Bits(Convert.ToDouble(item)));
        else if (item == null || item is Tensor) lists.Add((long) Tensor.getCPtr((Tensor) item).Handle);
        else throw new ArgumentException("an operator has no list with " + item.GetType());
      }
    }

    void Put(char kind, long value) {
      kinds[size] = (byte) kind;
      bits[size++] = value;
    }

    int AddText(string text) {
      int place = texts.Count;
      texts.AddRange(Encoding.UTF8.GetBytes(text));
      texts.Add(0);
      return place;
    }
  }
}
