// A call of an operator: its arguments are packed into arrays that cross to C++ at once.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace MindTorch {

  // The type of a tensor's elements, with the numbers of the C ABI; the names are torch's.
  public enum DType { UInt8, Int8, Int16, Int32, Int64, Float16, Float32, Float64, Complex64 = 9, Complex128, Bool, BFloat16 = 15,
    Complex32 = 8, Float8E5M2 = 23, Float8E4M3FN, Float8E5M2FNUZ, Float8E4M3FNUZ, UInt16, UInt32, UInt64, Float8E8M0FNU = 44 }

  static class Native {
    const string Library = "libmindtorch_csharp";
    internal const int MemoryIsHigh = 2;  // what Call returns when the garbage collector must run

    // Registers who receives errors.
    static Native() { RuntimeHelpers.RunClassConstructor(typeof(capiPINVOKE).TypeHandle); }

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

  // One call's arguments, packed into buffers that the thread uses again for its next call.
  sealed class Arguments {
    const int Few = 16;  // results of most operators, in words
    [ThreadStatic] static Arguments spare;
    byte[] kinds = new byte[16], texts = new byte[256];
    long[] bits = new long[32], lists = new long[64];
    readonly List<object> kept = new List<object>();  // arguments that no caller keeps alive during the call
    int count, size, named, textSize, listSize;

    // Begins a call with `count` arguments. Converting one may call other operators, so a thread's buffers serve one call at a time.
    internal static Arguments Begin(string name, string overload, int count) {
      Arguments call = spare ?? new Arguments();
      spare = null;
      call.size = call.named = call.textSize = call.listSize = 0;
      call.count = count;
      if (call.kinds.Length < count) call.kinds = new byte[count];
      if (call.bits.Length < 2 * count) call.bits = new long[2 * count];
      call.AddText(name);
      call.AddText(overload);
      return call;
    }

    // The next argument: a value, or a pair of its name and its value.
    internal void Add(object argument) {
      if (argument is Tensor tensor) {
        RefuseAfterNamed();
        Put('t', (long) Tensor.getCPtr(tensor).Handle);
      } else if (argument is ITuple pair && pair.Length == 2 && pair[0] is string name) {
        AddValue(pair[1]);
        bits[count + named++] = AddText(name);
      } else {
        RefuseAfterNamed();
        AddValue(argument);
      }
    }

    void RefuseAfterNamed() {
      if (named > 0) throw new ArgumentException("an argument by place follows one by name");
    }

    internal unsafe object Call() {
      long* few = stackalloc long[Few];
      int found;
      fixed (byte* text = texts, kind = kinds)
      fixed (long* bit = bits, list = lists) {
        int status = Native.Call(text, kind, count, bit, named, list, few, Few, out found);
        Native.Check(status);
        if (status == Native.MemoryIsHigh) Memory.Collect();
      }
      object result;
      if (found <= Few) {
        result = Unpack(few, found);
      } else {
        fixed (long* many = new long[found]) {
          Native.Fetch(many);
          result = Unpack(many, found);
        }
      }
      GC.KeepAlive(kept);
      kept.Clear();
      spare = this;
      return result;
    }

    static unsafe object Unpack(long* results, int length) {
      if (length == 2) return Unpack(results);
      List<object> found = new List<object>();
      for (long* end = results + length; results < end; results += Size(results)) found.Add(Unpack(results));
      return found.Count == 1 ? found[0] : found.ToArray();
    }

    static unsafe int Size(long* result) {
      switch ((char) result[0]) {
        case 'T': return 2 + (int) result[1];
        case 'c': return 3;
        case 's': return 2 + (int) ((result[1] + 7) / 8);
        default: return 2;
      }
    }

    static unsafe object Unpack(long* result) {
      long bits = result[1];
      switch ((char) result[0]) {
        case 't': return Own(bits);
        case 'n': return null;
        case 'b': return bits != 0;
        case 'd': return BitConverter.Int64BitsToDouble(bits);
        case 'u': return bits >= 0 ? (object) bits : (ulong) bits;
        case 'c': return new[] { BitConverter.Int64BitsToDouble(bits), BitConverter.Int64BitsToDouble(result[2]) };
        case 's': return Encoding.UTF8.GetString((byte*) (result + 2), (int) bits);
        case 'v': return new mt_device { type = (int) (bits >> 32), index = (int) bits };
        case 'T':
          Tensor[] tensors = new Tensor[bits];
          for (long i = 0; i < bits; ++i) tensors[i] = Own(result[2 + i]);
          return tensors;
        default: return bits;
      }
    }

    static Tensor Own(long address) { return address == 0 ? null : new Tensor((IntPtr) address, true, false); }

    void AddValue(object argument) {
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
      Put(isWhole ? 'I' : isNumeric ? 'D' : 'T', listSize);
      kept.Add(list);
      if (lists.Length < listSize + list.Count + 1) Array.Resize(ref lists, 2 * (listSize + list.Count + 1));
      lists[listSize++] = list.Count;
      foreach (object item in list) {
        if (isWhole) lists[listSize++] = Convert.ToInt64(item);
        else if (isNumeric) lists[listSize++] = BitConverter.DoubleToInt64Bits(Convert.ToDouble(item));
        else if (item == null || item is Tensor) lists[listSize++] = (long) Tensor.getCPtr((Tensor) item).Handle;
        else throw new ArgumentException("an operator has no list with " + item.GetType());
      }
    }

    void Put(char kind, long value) {
      kinds[size] = (byte) kind;
      bits[size++] = value;
    }

    // Appends a text with a NUL, and returns where it begins.
    int AddText(string text) {
      int begin = textSize, most = 3 * text.Length + 1;  // three bytes for each UTF-16 code unit, and the NUL
      if (texts.Length < begin + most) Array.Resize(ref texts, 2 * (begin + most));
      // An encoder's call costs more than a name's few characters, which are ASCII.
      int written = 0;
      for (; written < text.Length && text[written] < 0x80; ++written) texts[begin + written] = (byte) text[written];
      if (written < text.Length) written += Encoding.UTF8.GetBytes(text, written, text.Length - written, texts, begin + written);
      textSize += written;
      texts[textSize++] = 0;
      return begin;
    }
  }
}
